import Platform
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

/// Law DOC12 on several nodes, for rows in memory only.
struct AddingInClusterTests {
    /// Three nodes with a lobby that is a document, and their clients.
    private final class Yard {
        let cluster: SimulatedCluster
        let clients: [LobbyClient]

        init(seed: UInt64) throws {
            cluster = try SimulatedCluster(seed: seed, registry: .documentLobby())
            cluster.world.run(for: .seconds(120))
            clients = cluster.nodes.map { LobbyClient(of: $0) }
        }

        func run(_ seconds: Double) { cluster.world.run(for: .milliseconds(Int(seconds * 1_000))) }

        /// The clients of the nodes that run, that of the owner of `a` first.
        var present: [LobbyClient] {
            let owner = cluster.owner(of: .a)
            let all = clients.filter { $0.node.isRunning }
            return all.filter { $0.node === owner } + all.filter { $0.node !== owner }
        }

        /// The value of a view that each node answers, or that its watch shows.
        func values(_ view: String, watched: Bool) -> [String] {
            present.map { client in
                if watched { return client.shown(view, in: .a) }
                let value = Lock<String?>("no answer")
                client.read(view, in: .a) { text in value.with { $0 = text } }
                run(2)
                return value.with { $0 } ?? "not fresh"
            }
        }
    }

    private static func text(_ keys: [String]) -> String {
        "[" + keys.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    @Test(arguments: [true, false])
    func `every node shows rows in memory in the order of their first adding`(_ isWatched: Bool) throws {
        let yard = try Yard(seed: 4)
        if isWatched { for client in yard.clients { client.watch(.a) } }
        yard.run(1)
        let owner = try #require(yard.present.first)
        var keys: [String] = []
        var random = Randomness(seed: 9)
        for x in 0..<60 {
            let key = "k\(Int.random(in: 0..<9, using: &random))"
            if Int.random(in: 0..<3, using: &random) == 0 {
                owner.act("hide", #"{"token": "\#(key)"}"#, in: .a)
                keys.removeAll { $0 == key }
            } else {
                owner.act("move", #"{"name": "\#(key)", "x": \#(x)}"#, in: .a)
                if !keys.contains(key) { keys.append(key) }
            }
            yard.run(0.1)
        }
        yard.run(1)
        for value in yard.values("cursors", watched: isWatched) { #expect(value == Self.text(keys)) }
    }

    @Test(arguments: [true, false], 1...4 as ClosedRange<UInt64>)
    func `present clients keep their places when the owner goes`(_ isWatched: Bool, _ seed: UInt64) throws {
        let yard = try Yard(seed: seed)
        if isWatched { for client in yard.clients { client.watch(.a) } }
        yard.run(1)
        let clients = yard.present
        var keys: [String] = []
        for (index, key) in ["m", "c", "x", "a", "q", "b", "z", "f"].enumerated() {
            clients[1 + index % 2].join(key, in: .a)
            keys.append(key)
            yard.run(0.5)
        }
        // A read would give the rows to the node that owns the space next.
        if isWatched { for client in clients { #expect(client.shown("here", in: .a) == Self.text(keys)) } }
        clients[0].node.kill()
        // A client that comes while the others are announced stands after them.
        while yard.cluster.owner(of: .a) == nil { yard.run(0.01) }
        yard.present[1].join("d", in: .a)
        yard.run(30)
        for value in yard.values("here", watched: isWatched) { #expect(value == Self.text(keys + ["d"])) }
        yard.present[1].join("0", in: .a)
        yard.run(1)
        for value in yard.values("here", watched: isWatched) { #expect(value == Self.text(keys + ["d", "0"])) }
    }
}
