import Ground
import JSON
import Reactive
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster
@testable import StateStore

/// Rows in memory only in a cluster.
struct RowsInClusterTests {
    /// Three nodes with a lobby, and their clients.
    private final class Trio {
        let cluster: SimulatedCluster
        private(set) var clients: [LobbyClient] = []

        init(seed: UInt64 = 3) throws {
            cluster = try SimulatedCluster(seed: seed, registry: .lobby())
            cluster.world.run(for: .seconds(120))
            clients = cluster.nodes.map { LobbyClient(of: $0) }
        }

        func run(_ seconds: Double) { cluster.world.run(for: .milliseconds(Int(seconds * 1_000))) }

        /// The client of the owner of `a`, and the two others.
        var roles: (owner: LobbyClient, others: [LobbyClient]) {
            get throws {
                let owner = try #require(cluster.owner(of: .a))
                let client = try #require(clients.first { $0.node === owner })
                return (client, clients.filter { $0.node !== owner && $0.node.isRunning })
            }
        }

        func read(_ view: String, at client: LobbyClient) -> String? {
            let value = Lock<String?>("no answer")
            client.read(view, in: .a) { text in value.with { $0 = text } }
            run(2)
            return value.with { $0 }
        }

        /// The value of a view that the watches of some clients show, if it is the same.
        func shown(_ view: String, at clients: [LobbyClient]) -> String {
            let values = Set(clients.map { $0.shown(view, in: .a) })
            return values.count == 1 ? values.first ?? "" : "different: \(values)"
        }
    }

    // Law U4
    @Test func `watchers on all nodes see the rows of the owner`() throws {
        let trio = try Trio()
        let (owner, _) = try trio.roles
        for client in trio.clients { client.watch(.a) }
        trio.run(1)
        #expect(trio.shown("cursors", at: trio.clients) == "[]")
        for x in 1...50 {
            owner.act("move", #"{"name": "ada", "x": \#(x)}"#, in: .a)
            trio.run(0.002)
        }
        owner.act("move", #"{"name": "bob", "x": 7}"#, in: .a)
        trio.run(0.2)
        #expect(trio.shown("cursors", at: trio.clients) == #"["ada:50","bob:7"]"#)
        owner.act("hide", #"{"token": "ada"}"#, in: .a)
        trio.run(0.2)
        #expect(trio.shown("cursors", at: trio.clients) == #"["bob:7"]"#)
        // Nothing of it went through the log.
        #expect(try trio.cluster.nodes.allSatisfy { try $0.copy.load(.a) == nil })
    }

    // Law U5
    @Test func `a fresh read on any node shows what was answered, also of a space that was never written`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        owner.act("move", #"{"name": "ada", "x": 7}"#, in: .a)
        trio.run(0.001)
        for other in others { #expect(trio.read("cursors", at: other) == #"["ada:7"]"#) }
        owner.act("move", #"{"name": "ada", "x": 8}"#, in: .a)
        trio.run(0.001)
        #expect(trio.read("cursors", at: others[0]) == #"["ada:8"]"#)
        // Rows that nobody watches are released, and read again.
        trio.run(30)
        #expect(others[0].node.stores[0].loadedCount == 0)
        #expect(trio.read("cursors", at: others[0]) == #"["ada:8"]"#)
    }

    // Law U5
    @Test func `a row shows only with the commits before it`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        let follower = others[0]
        follower.watch(.a)
        trio.run(1)
        var orders: [String] = []
        follower.watched = { _, view, value in orders.append("\(view) \(value)") }
        follower.node.log.faults.delay = 200_000
        owner.act("rename", #"{"token": "tea"}"#, in: .a)
        trio.run(0.05)
        owner.act("move", #"{"name": "ada", "x": 1}"#, in: .a)
        trio.run(3)
        #expect(orders.last == #"lobby.cursors ["ada:1"]"# && orders.contains(#"lobby.topic "tea""#), "\(orders)")
    }

    @Test func `rows of many pages arrive whole`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        let count = 12_000
        for index in 1...count {
            owner.act("move", #"{"name": "a name that is rather long \#(index)", "x": \#(index)}"#, in: .a)
        }
        trio.run(1)
        others[0].watch(.a, ["sum"])
        trio.run(5)
        #expect(others[0].shown("sum", in: .a) == "\(count * (count + 1) / 2)")
        #expect(trio.read("sum", at: others[1]) == "\(count * (count + 1) / 2)")
    }

    // Law U4
    @Test(arguments: [10, 1_000, 12_000]) func `a transfer lists each row once, of however many pages it is`(
        _ count: Int
    ) throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        for index in 1...count {
            owner.act("move", #"{"name": "a name that is rather long \#(index)", "x": \#(index)}"#, in: .a)
        }
        trio.run(1)
        others[0].watch(.a, ["sum"])
        trio.run(5)
        #expect(others[0].shown("sum", in: .a) == "\(count * (count + 1) / 2)")
        let publisher = try #require(owner.node.stores[0].sharing).publisher
        #expect(publisher.listedCount == count)
        // A change costs the change.
        owner.act("move", #"{"name": "ada", "x": 1}"#, in: .a)
        trio.run(1)
        #expect(others[0].shown("sum", in: .a) == "\(count * (count + 1) / 2 + 1)")
        #expect(publisher.listedCount == count)
    }

    // Law U4
    @Test func `an action that changes rows is performed by the owner only`() throws {
        let trio = try Trio()
        let (_, others) = try trio.roles
        let refusal = Lock("")
        others[0].act("move", #"{"name": "ada", "x": 7}"#, in: .a) { result in
            if case .failure(let reason) = result { refusal.with { $0 = "\(reason)" } }
        }
        trio.run(1)
        #expect(refusal.with { $0 } == "elsewhere")
    }

    // Law U6
    @Test func `another owner begins without rows, and all watchers see that`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        for client in trio.clients { client.watch(.a) }
        owner.act("move", #"{"name": "ada", "x": 7}"#, in: .a)
        trio.run(1)
        #expect(trio.shown("cursors", at: trio.clients) == #"["ada:7"]"#)
        owner.node.kill()
        trio.run(2)
        // Until the lease of the owner has ended, the others show what it had.
        #expect(trio.shown("cursors", at: others) == #"["ada:7"]"#)
        trio.run(20)
        #expect(trio.shown("cursors", at: others) == "[]")
        let (next, _) = try trio.roles
        next.act("move", #"{"name": "bob", "x": 1}"#, in: .a)
        trio.run(1)
        #expect(trio.shown("cursors", at: others) == #"["bob:1"]"#)
    }

    // Law U6
    @Test func `an owner that was cut off answers no action on rows, and takes those of the next owner`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        for client in trio.clients { client.watch(.a) }
        owner.act("move", #"{"name": "ada", "x": 7}"#, in: .a)
        trio.run(1)
        owner.node.log.set(.both)
        trio.run(5.5)
        let refusal = Lock("")
        owner.act("move", #"{"name": "eve", "x": 1}"#, in: .a) { result in
            if case .failure(let reason) = result { refusal.with { $0 = "\(reason)" } }
        }
        trio.run(10)
        #expect(refusal.with { $0 } == "elsewhere")
        let next = try #require(others.first { $0.node.journal.owns(.a) })
        next.act("move", #"{"name": "bob", "x": 1}"#, in: .a)
        owner.node.log.set(.none)
        trio.run(10)
        #expect(trio.shown("cursors", at: trio.clients) == #"["bob:1"]"#)
    }

    @Test func `a space that nobody follows takes nothing, and one that was released comes back`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        others[0].watch(.a)
        owner.act("move", #"{"name": "ada", "x": 7}"#, in: .a)
        trio.run(1)
        others[0].stopWatching(.a)
        trio.run(30)
        #expect(others[0].node.stores[0].loadedCount == 0)
        others[0].watch(.a)
        trio.run(1)
        #expect(others[0].shown("cursors", in: .a) == #"["ada:7"]"#)
        owner.act("hide", #"{"token": "ada"}"#, in: .a)
        trio.run(1)
        #expect(others[0].shown("cursors", in: .a) == "[]")
    }

    // MARK: Presence

    // Law U7
    @Test func `a client on any node is present on all, and goes after the grace`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        for client in trio.clients { client.watch(.a) }
        others[0].join("ada", in: .a)
        others[1].join("bob", in: .a)
        owner.join("eve", in: .a)
        trio.run(1)
        #expect(trio.shown("here", at: trio.clients) == #"["ada:1","bob:1","eve:1"]"#)
        others[0].leave("ada", in: .a)
        trio.run(2)
        #expect(trio.shown("here", at: trio.clients) == #"["ada:1","bob:1","eve:1"]"#)
        // It comes back on another node in time.
        others[1].join("ada", in: .a)
        trio.run(5)
        #expect(trio.shown("here", at: trio.clients) == #"["ada:1","bob:1","eve:1"]"#)
        others[1].leave("ada", in: .a)
        trio.run(5)
        #expect(trio.shown("here", at: trio.clients) == #"["bob:1","eve:1"]"#)
        #expect(trio.shown("left", at: trio.clients) == "1")
    }

    @Test func `a row shows where its stream begins, and a refusal arrives with its place`() throws {
        let trio = try Trio()
        let (_, others) = try trio.roles
        let (outcome, seen) = (Lock(""), Lock<String?>(nil))
        others[0].watch(.a)
        others[0].join("ada", in: .a) { refusal in
            outcome.with { $0 = "\(refusal.map { "\($0)" } ?? "none")" }
            seen.with { $0 = others[0].shown("here", in: .a) }
        }
        trio.run(1)
        #expect(outcome.with { $0 } == "none" && seen.with { $0 } == #"["ada:1"]"#)
        others[0].join("bob", 13, in: .a) { refusal in outcome.with { $0 = "\(refusal.map { "\($0)" } ?? "none")" } }
        trio.run(1)
        #expect(outcome.with { $0 }.contains("rejected"))
        #expect(others[0].shown("here", in: .a) == #"["ada:1"]"#)
    }

    // Law U7
    @Test func `the clients of a node that dies go after the grace`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        owner.watch(.a)
        others[0].join("ada", in: .a)
        others[1].join("bob", in: .a)
        trio.run(1)
        #expect(owner.shown("here", in: .a) == #"["ada:1","bob:1"]"#)
        others[0].node.kill()
        trio.run(5)
        #expect(owner.shown("here", in: .a) == #"["ada:1","bob:1"]"#)
        trio.run(10)
        #expect(owner.shown("here", in: .a) == #"["bob:1"]"#)
        #expect(owner.shown("left", in: .a) == "1")
    }

    // Law U7
    @Test func `the clients of the other nodes stay when the owner dies, and its own go after the grace`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        for client in trio.clients { client.watch(.a) }
        others[0].join("ada", in: .a)
        others[1].join("bob", in: .a)
        owner.join("eve", in: .a)
        trio.run(1)
        var seen: Set<String> = []
        for client in others { client.watched = { _, view, value in if view == "lobby.here" { seen.insert(value) } } }
        owner.node.kill()
        trio.run(40)
        #expect(trio.shown("here", at: others) == #"["ada:1","bob:1"]"#)
        // Nobody has flickered.
        #expect(seen.allSatisfy { $0.contains("ada") && $0.contains("bob") }, "\(seen)")
    }

    // Law U7
    @Test func `a node hands its spaces over without a flicker`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        for client in trio.clients { client.watch(.a) }
        others[0].join("ada", in: .a)
        owner.join("eve", in: .a)
        trio.run(1)
        var seen: Set<String> = []
        for client in trio.clients {
            client.watched = { _, view, value in if view == "lobby.here" { seen.insert(value) } }
        }
        owner.node.journal.drain()
        trio.run(2)
        #expect(!owner.node.journal.owns(.a))
        // The client of the node that ends comes back on another one.
        others[1].join("eve", in: .a)
        owner.leave("eve", in: .a)
        trio.run(1)
        owner.node.kill()
        trio.run(30)
        #expect(trio.shown("here", at: others) == #"["ada:1","eve:1"]"#)
        #expect(seen.allSatisfy { $0.contains("ada") && $0.contains("eve") }, "\(seen)")
        #expect(trio.shown("left", at: others) == "0")
    }

    // Law U7
    @Test func `a node that was taken for dead announces its clients again`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        for client in trio.clients { client.watch(.a) }
        others[0].join("ada", in: .a)
        trio.run(1)
        others[0].node.log.set(.both)
        trio.run(15)
        #expect(owner.shown("here", in: .a) == "[]")
        others[0].node.log.set(.none)
        trio.run(10)
        #expect(trio.shown("here", at: trio.clients) == #"["ada:1"]"#)
    }

    @Test func `a client without an owner in reach is refused, and leaves no row`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        owner.watch(.a)
        let outcome = Lock("")
        // The request arrives, the answer does not.
        others[0].node.log.set(.answers)
        others[0].join("ada", in: .a) { refusal in outcome.with { $0 = "\(refusal.map { "\($0)" } ?? "none")" } }
        trio.run(3.5)
        #expect(outcome.with { $0 } == "elsewhere")
        #expect(owner.shown("here", in: .a) == #"["ada:1"]"#)
        others[0].node.log.set(.none)
        trio.run(10)
        #expect(owner.shown("here", in: .a) == "[]")
    }

    @Test func `many clients come at once`() throws {
        let trio = try Trio()
        let (owner, others) = try trio.roles
        for client in trio.clients { client.watch(.a) }
        trio.run(1)
        for index in 0..<500 { others[index % 2].join("p\(index)", in: .a) }
        trio.run(3)
        #expect(others[0].shown("here", in: .a) == owner.shown("here", in: .a))
        #expect(owner.shown("here", in: .a).contains("p499:1"))
        #expect(others.map { $0.present(in: .a).count } == [250, 250])
        owner.node.kill()
        trio.run(30)
        #expect(trio.shown("here", at: others).split(separator: ",").count == 500)
    }
}

/// The binary form of messages about rows in memory only.
struct RowMessageTests {
    @Test func `no bytes of another node trap, and messages come back as they were`() throws {
        var repeated = PresenceRequest("ada", in: "lobby.here", with: ["x": 1], Caller("ann"), needsRule: true)
        repeated.isRepeated = true
        repeated.added = FirstAdding(version: 12, index: 1)
        let message = PresenceMessage(
            of: "n1/abc", 7, after: 5, isWhole: true,
            joins: [PresenceRequest("bob", in: "lobby.here", with: 1, .server, needsRule: false), repeated],
            leaves: [PresenceRow(table: "lobby.here", key: "eve")])
        let answer = PresenceAnswer.done([
            .present(FirstAdding(version: 7, index: 2)),
            .refused(.rejected(Rejection(.invalid, "no", place: ["with", "x"]))), .refused(.noSuchView("lobby.x")),
            .refused(.elsewhere), .refused(.rejected(.forbidden)),
        ])
        let request = RowsRequest(
            .a, known: RowsNumber(epoch: 9, 4), after: RowsRequest.Place("lobby.here", "ada"), follower: "n1/abc")
        let rows = RowsAnswer(
            RowsNumber(epoch: 9, 5), at: 3, isWhole: true,
            [
                Fact(variable: "lobby.here", entry: "ada", value: [49]), Fact(variable: "lobby.here", value: [50]),
                Fact(variable: "lobby.here", entry: "bob", value: nil),
            ], hasMore: true)
        let forms: [[UInt8]] = [
            PresenceCoding.bytes(of: message, in: .a), PresenceCoding.bytes(of: answer),
            PresenceCoding.bytes(of: .unknown), RowsCoding.bytes(of: request), RowsCoding.bytes(of: rows),
        ]
        for whole in forms {
            for end in whole.indices {
                var changed = whole
                changed[end] ^= 0xFF
                for bytes in [Array(whole[..<end]), changed] {
                    _ = try? PresenceCoding.message(bytes[...])
                    _ = try? PresenceCoding.answer(bytes)
                    _ = try? RowsCoding.request(bytes[...])
                    _ = try? RowsCoding.answer(bytes)
                }
            }
        }
        #expect(try RowsCoding.request(forms[3][...]) == request)
        #expect(try RowsCoding.answer(forms[4]) == rows)
        let (read, space) = try PresenceCoding.message(forms[0][...])
        #expect(space == .a && read.process == "n1/abc" && read.number == 7 && read.previous == 5 && read.isWhole)
        #expect(read.leaves == message.leaves && read.joins.map(\.key) == ["bob", "ada"])
        #expect(read.joins[0].caller.isServer && read.joins[1].caller == Caller("ann"))
        #expect(read.joins.map(\.added) == [.unknown, FirstAdding(version: 12, index: 1)])
        #expect(read.joins[1].isRepeated && read.joins[1].needsRule && read.joins[1].row == ["x": 1])
        #expect("\(try PresenceCoding.answer(forms[1]))" == "\(answer)")
    }
}
