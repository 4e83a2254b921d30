import Ground
import Reactive
import ReplicatedJournal
import StateStore

/// A run of three nodes of a lobby with random clients and random faults, both from one seed, and its check against a
/// model: who has a stream, and which changes of rows were answered by which owner.
package final class LobbyRun: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.

    /// An answered change of a row, and the claim under which it was answered.
    private struct Answered {
        let x: Int
        let claim: String
    }

    private static let spaces = ["a", "b", "c"].compactMap { SpaceName($0) }
    private static let names = ["ann", "bob", "cid", "dan"]

    package let cluster: SimulatedCluster
    private var clients: [LobbyClient] = []
    /// The last answered change of each row.
    private var answered: [SpaceName: [String: Answered]] = [:]
    /// The claims under which changes were answered, by the number that was written.
    private var claims: [Int: String] = [:]
    private var lastX = 0
    /// The time after which law U7 promises that no row is there without a stream: the owner has trusted a process for ten
    /// seconds, and its rows have gone after the grace.
    private static let longestStay = Duration.seconds(13)
    private let movesSpaces: Bool
    /// The spaces that everybody has left for a while.
    private var leftSpaces: Set<SpaceName> = []
    /// How often everybody has left a space.
    private var departures: [SpaceName: Int] = [:]
    private var isCalm = false
    package private(set) var complaints: [String] = []
    package private(set) var freshReads = 0
    package private(set) var changes = 0
    package private(set) var joins = 0

    /// With `movesSpaces` a space moves to a store of its own kind as soon as it is idle, and clients let it be idle.
    package init(seed: UInt64, movesSpaces: Bool = false) throws {
        cluster = try SimulatedCluster(seed: seed, registry: .lobby(), largeBytes: movesSpaces ? 1 : nil)
        self.movesSpaces = movesSpaces
    }

    /// The number of moves to the stores of large spaces, of the processes that run.
    package var moved: Int { cluster.nodes.reduce(0) { $0 + $1.stores.placement.largeSpaces.count } }

    private var world: SimulatedWorld { cluster.world }

    /// Runs clients and faults for some seconds, then waits for calm, and checks everything.
    package func run(seconds: Int, faults: Int) throws {
        world.run(for: .seconds(3))
        clients = cluster.nodes.map { begin(at: $0) }
        world.run(for: .seconds(2))
        nextStep()
        nextRead()
        for _ in 0..<faults { world.after(world.delay(upTo: seconds * 1_000_000)) { self.fault() } }
        world.run(for: .seconds(seconds))
        isCalm = true
        if movesSpaces { for client in clients { for space in Self.spaces { client.watch(space) } } }
        cluster.calm()
        // What was lost with an owner stays lost: the last changes have none.
        for _ in 0..<20 { move() }
        world.run(for: Self.longestStay)
        check()
    }

    private func begin(at node: SimulatedNode) -> LobbyClient {
        let client = LobbyClient(of: node)
        client.watched = { [weak self] space, view, value in
            if view == "lobby.cursors" { self?.checkClaims(value, of: space, at: node) }
        }
        for space in Self.spaces { client.watch(space) }
        return client
    }

    // MARK: Clients

    private func nextStep() {
        guard !isCalm else { return }
        let space = Self.spaces[world.random(below: Self.spaces.count)]
        let client = clients[world.random(below: clients.count)]
        switch leftSpaces.contains(space) ? 7 : world.random(below: movesSpaces ? 9 : 8) {
        case 0, 1, 2: move()
        case 8: leave(space)
        case 3, 4:
            joins += 1
            client.join("\(client.node.name)-\(world.random(below: 5))", in: space)
        case 5, 6:
            let present = client.present(in: space).sorted()
            if !present.isEmpty { client.leave(present[world.random(below: present.count)], in: space) }
        default: client.act("rename", #"{"token": "t\#(world.random(below: 100))"}"#, in: space)
        }
        world.after(world.delay(upTo: 150_000)) { self.nextStep() }
    }

    /// Lets everybody leave a space, so that it can be idle, and come back later.
    private func leave(_ space: SpaceName) {
        leftSpaces.insert(space)
        departures[space, default: 0] += 1
        for client in clients { client.leaveAll(space) }
        answered[space] = nil
        if let owner = claim(of: space)?.node, let client = clients.first(where: { $0.node === owner }) {
            for name in Self.names { client.act("hide", #"{"token": "\#(name)"}"#, in: space) }
        }
        world.after(.seconds(9) + world.delay(upTo: 6_000_000)) { [self] in
            leftSpaces.remove(space)
            for client in clients { client.watch(space) }
        }
    }

    /// The claim of the node that may answer for a space; nil if none may.
    private func claim(of space: SpaceName) -> (node: SimulatedNode, text: String)? {
        for node in cluster.nodes where node.isRunning && !node.executor.isPaused {
            if let claim = node.journal.claim(of: space), claim.isSure {
                return (node, "\(node.journal.process) \(claim.number)")
            }
        }
        return nil
    }

    private func move() {
        let space = Self.spaces[world.random(below: Self.spaces.count)]
        guard !leftSpaces.contains(space), let (node, text) = claim(of: space),
            let client = clients.first(where: { $0.node === node })
        else { return }
        lastX += 1
        let departure = departures[space]
        let (x, name) = (lastX, Self.names[world.random(below: Self.names.count)])
        client.act("move", #"{"name": "\#(name)", "x": \#(x)}"#, in: space) { [weak self] result in
            guard let self, case .success = result, claim(of: space)?.text == text, departures[space] == departure
            else { return }
            changes += 1
            claims[x] = text
            answered[space, default: [:]][name] = Answered(x: x, claim: text)
        }
    }

    // MARK: Fresh reads

    private func nextRead() {
        guard !isCalm else { return }
        let space = Self.spaces[world.random(below: Self.spaces.count)]
        let client = clients[world.random(below: clients.count)]
        if client.node.isRunning, !client.node.executor.isPaused, !leftSpaces.contains(space) {
            let (needed, departure) = (answered[space] ?? [:], departures[space])
            client.read("cursors", in: space) { [weak self] value in
                guard let self, let value, departures[space] == departure else { return }
                freshReads += 1
                // What an earlier owner answered is gone with it.
                let now = claim(of: space)?.text
                let rows = Self.rows(value)
                for (name, change) in needed where change.claim == now && rows[name] ?? 0 < change.x {
                    complaints.append("\(client.node.name) read \(value) in \(space), but \(name) is at \(change.x)")
                }
            }
        }
        world.after(world.delay(upTo: 200_000)) { self.nextRead() }
    }

    /// The rows of a value like `["ann:1","bob:2"]`.
    private static func rows(_ value: String) -> [String: Int] {
        var rows: [String: Int] = [:]
        for part in value.split(whereSeparator: { "[],\"".contains($0) }) {
            let pair = part.split(separator: ":")
            if pair.count == 2, let x = Int(pair[1]) { rows[String(pair[0])] = x }
        }
        return rows
    }

    /// Notes a value that mixes rows of different owners.
    private func checkClaims(_ value: String, of space: SpaceName, at node: SimulatedNode) {
        let seen = Set(Self.rows(value).values.compactMap { claims[$0] })
        if seen.count > 1 { complaints.append("\(node.name) showed rows of several owners of \(space): \(value)") }
    }

    // MARK: Faults

    private func fault() {
        guard !isCalm else { return }
        let index = world.random(below: cluster.nodes.count)
        let node = cluster.nodes[index]
        switch world.random(below: 8) {
        case 0: node.pauseForAWhile(in: world)
        case 1, 2: node.cutForAWhile(in: world)
        case 3: restart(index)
        case 4:
            node.journal.drain()
            // A node that was drained ends, and starts again.
            world.after(.seconds(3)) { self.restart(index, node) }
        case 5: cluster.server.loseLeases()
        default:
            node.log.faults.lostRequest = 5
            node.log.faults.lostAnswer = 5
            node.log.faults.delay = 100_000
            world.after(world.delay(upTo: 8_000_000)) { node.log.faults = MemoryLog.Faults() }
        }
    }

    private func restart(_ index: Int, _ node: SimulatedNode? = nil) {
        guard node == nil || cluster.nodes[index] === node else { return }
        do {
            try cluster.restart(index)
            clients[index] = begin(at: cluster.nodes[index])
        } catch {
            complaints.append("a node does not start again: \(error)")
        }
    }

    // MARK: Checks

    private func check() {
        for space in Self.spaces {
            for view in ["here", "cursors", "topic", "left"] {
                let values = Set(clients.map { $0.shown(view, in: space) })
                if values.count != 1 { complaints.append("\(view) of \(space) differs: \(values)") }
            }
            let here = Set(Self.rows(clients[0].shown("here", in: space)).keys)
            let present = Set(clients.flatMap { $0.present(in: space) })
            if here != present {
                complaints.append("\(here.sorted()) are shown in \(space), and \(present.sorted()) have streams")
            }
            let rows = Self.rows(clients[0].shown("cursors", in: space))
            let now = claim(of: space)?.text
            // A later change whose answer got lost may be there instead.
            for (name, change) in answered[space] ?? [:] where change.claim == now && rows[name] ?? 0 < change.x {
                complaints.append("\(name) is at \(rows[name] ?? 0) in \(space), not at \(change.x)")
            }
        }
    }
}
