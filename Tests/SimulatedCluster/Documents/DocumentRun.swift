import Ground
import JSON
import Reactive
import ReplicatedJournal
import ServerReads
import StateStore

/// A run of three nodes whose features are documents, with random calls and random faults from one seed. In the end the
/// views of every node are those of a model, each time of a schedule has fired once, the state of a dropped document is
/// gone, and so are the bytes of erased rows.
package final class DocumentRun: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    private static let spaces = ["a", "b", "c", "d"].compactMap { SpaceName($0) }
    private static let rows = ["k0", "k1", "k2", "k3"]
    private static let people = ["ann", "bob"]

    package let cluster: SimulatedCluster
    package private(set) var complaints: [String] = []
    /// The number of calls that were answered, and of those that rules forbade.
    package private(set) var answered = 0
    package private(set) var forbidden = 0
    /// The number of values of clients' streams, and of firings of the calendar, that were compared with the model.
    package private(set) var comparedStreams = 0
    package private(set) var comparedFirings = 0
    private var isCalm = false
    private var number = 0
    private let seconds: Int

    package init(seed: UInt64, seconds: Int = 200) throws {
        self.seconds = seconds
        cluster = try SimulatedCluster(seed: seed, registry: DeskFeatures.registry(), library: DeskFeatures.library)
        // In every second run no space stays in memory that nothing uses.
        if seed.isMultiple(of: 2) { cluster.prepare = { $0.stores[0].idleLimit = 0 } }
    }

    private var world: SimulatedWorld { cluster.world }

    /// Runs calls and faults, then waits for calm, checks, erases rows under faults, and checks again.
    package func run() throws {
        world.run(for: .seconds(3))
        let documents = [
            "desk": try JSON(parsing: Array(DeskFeatures.desk.utf8)),
            "passing": try JSON(parsing: Array(DeskFeatures.passing.utf8)),
        ]
        change(documents.mapValues { $0 }, dropsState: false) { $0["desk"] != nil }
        world.run(for: .seconds(10))
        nextCall()
        let faults = RandomFaults(cluster, count: 40)
        faults.begin()
        world.run(for: .seconds(seconds * 2 / 3))
        change(["passing": nil], dropsState: true) { $0["passing"] == nil }
        world.run(for: .seconds(seconds / 3))
        faults.end()
        calm()
        check()
        let erased = eraseRows()
        calm()
        check(erased)
        complaints += faults.complaints
    }

    private func calm() {
        isCalm = true
        cluster.calm()
        // The search for dropped state goes over the spaces again after half a minute.
        world.run(for: .seconds(60))
    }

    // MARK: Calls

    /// A call that is sent until it is answered, or until none is needed any more.
    private final class Request: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let space: SpaceName
        /// Makes the call on a node, and passes it on.
        let make: (SimulatedNode, @escaping (Call?) -> Void) -> Void
        var attempts = 0

        init(_ space: SpaceName, _ make: @escaping (SimulatedNode, @escaping (Call?) -> Void) -> Void) {
            (self.space, self.make) = (space, make)
        }
    }

    private func send(_ space: SpaceName, _ make: @escaping (SimulatedNode) -> Call?) {
        send(Request(space) { node, then in then(make(node)) })
    }

    /// Sends a call to the owner of its space.
    private func send(_ request: Request) {
        request.attempts += 1
        let (attempt, space) = (request.attempts, request.space)
        guard attempt < 400 else { return complaints.append("a call in \(space) is never answered") }
        guard let node = cluster.owner(of: space), !node.executor.isPaused else { return again(request) }
        world.after(.seconds(8)) { if request.attempts == attempt { self.send(request) } }
        request.make(node) { call in
            guard request.attempts == attempt else { return }
            // What comes later is of no attempt.
            guard let call else { return request.attempts += 1 }
            node.perform(call, in: space) { result in
                guard request.attempts == attempt else { return }
                request.attempts += 1
                self.take(result, request)
            }
        }
    }

    private func again(_ request: Request) {
        world.after(.milliseconds(200)) { self.send(request) }
    }

    private func take(_ result: Result<Answer, Refusal>, _ request: Request) {
        switch result {
        case .success: answered += 1
        case .failure(.elsewhere), .failure(.journal), .failure(.contended): again(request)
        case .failure(.rejected(let rejection)) where rejection.kind == .forbidden: forbidden += 1
        // There is no stream to remove, or the documents have changed between the look and the call.
        case .failure(.rejected(let rejection)) where rejection.kind == .conflict:
            if request.space == .common { again(request) }
        case .failure(.noSuchAction), .failure(.noSuchRow): break
        case .failure(let refusal): complaints.append("a call in \(request.space) was refused: \(refusal)")
        }
    }

    private func change(
        _ documents: [String: JSON?], dropsState: Bool, unless isDone: @escaping (DeployedDocuments) -> Bool
    ) {
        send(.common) { node in
            let present = node.stores[0].documents
            if isDone(present) { return nil }
            return DocumentChange(documents, dropsState: dropsState, to: present).call(by: "root")
        }
    }

    private func nextCall() {
        guard !isCalm else { return }
        number += 1
        let space = Self.spaces[world.random(below: Self.spaces.count)]
        let id = Self.rows[world.random(below: Self.rows.count)]
        let person = Self.people[world.random(below: Self.people.count)]
        let (feature, action, input) =
            switch world.random(below: 11) {
            case 0, 1, 2: ("desk", "add", #"{"id":"\#(id)","text":"word \#(number)"}"#)
            case 3, 4: ("desk", "remove", #"{"id":"\#(id)"}"#)
            case 5: ("passing", "set", #"{"n":\#(number)}"#)
            case 6: ("streams", "put", DeskFeatures.sum(from: number))
            case 7: ("streams", "put", DeskFeatures.late(by: number))
            case 8: ("streams", "remove", world.isOne(in: 2) ? #"{"id":"sum"}"# : #"{"id":"late"}"#)
            default: ("tally", "set", #"{"n":\#(world.random(below: 4))}"#)
            }
        let call = Call(feature: feature, action: action, input: Array(input.utf8), key: "key \(number)", by: person)
        send(space) { _ in call }
        world.after(world.delay(upTo: 2_000_000)) { self.nextCall() }
    }

    // MARK: Erasing

    /// Erases a row of each space under faults. Returns the texts that it has had.
    private func eraseRows() -> [SpaceName: [String]] {
        var erased: [SpaceName: [String]] = [:]
        for space in Self.spaces {
            let id = Self.rows[world.random(below: Self.rows.count)]
            erased[space] = commits(of: space, cluster.nodes[0]).compactMap { commit in
                guard commit.action == "desk/add", let input = try? JSON(parsing: commit.input ?? []),
                    input["id"] == .string(id), case .string(let text)? = input["text"]
                else { return nil }
                return text
            }
            send(Request(space) { node, then in self.makeErasure(of: id, in: space, node, then) })
        }
        let faults = RandomFaults(cluster, count: 6)
        faults.begin()
        world.run(for: .seconds(20))
        faults.end()
        complaints += faults.complaints
        return erased
    }

    private func makeErasure(
        of id: String, in space: SpaceName, _ node: SimulatedNode, _ then: @escaping (Call?) -> Void
    ) {
        let row = ErasedRow(table: "desk.rows", key: id)
        let input: JSON = ["table": "desk.rows", "key": .string(id)]
        guard let library = node.library, let past = try? PastReader(library, node.journal, isThreaded: false),
            let bytes = try? input.json()
        else { return complaints.append("the past cannot be read") }
        past.run(for: node.executor) { context throws(PastRefusal) in
            Erasure(of: row, in: space, context)
        } then: { result in
            guard case .success(let erasure) = result else { return self.complaints.append("\(result)") }
            then(
                erasure.call(
                    input: bytes, input, key: "erase \(id)", views: nil, condition: nil,
                    caller: Caller("root")))
        }
    }

    // MARK: Checks

    private func commits(of space: SpaceName, _ node: SimulatedNode) -> [CommitRecord] {
        guard case .commits(let commits)? = try? node.copy.read(space, after: 0, limit: .max) else { return [] }
        return commits
    }

    private func read(_ views: [String], of space: SpaceName, _ node: SimulatedNode) -> [String: String] {
        var values: [String: String] = [:]
        node.stores[0].read(views, in: space) { result in
            guard case .success(let snapshot) = result else {
                return self.complaints.append("\(node.name) does not answer views of \(space): \(result)")
            }
            for view in snapshot.views {
                values["\(view.view)"] = (try? view.frame.value.get()).map { String(decoding: $0.bytes, as: UTF8.self) }
            }
        }
        world.run(for: .milliseconds(10))
        return values
    }

    private func check() {
        let copies = cluster.nodes.map { RandomRun.text(of: $0.copy) }
        if Set(copies).count > 1 { complaints.append("the copies differ:\n\(copies.joined(separator: "\n---\n"))") }
        for space in Self.spaces {
            let model = DeskModel(commits(of: space, cluster.nodes[0]))
            complaints += model.complaints.map { "\(space): \($0)" }
            comparedFirings += model.ticks.count
            comparedStreams += model.views.keys.count { $0.hasPrefix("streams.") }
            for node in cluster.nodes {
                let values = read(model.views.keys.sorted(), of: space, node)
                for (view, expected) in model.views where values[view] != expected {
                    complaints.append(
                        "\(node.name) shows \(values[view] ?? "nothing") as \(view) of \(space), not \(expected)")
                }
                let facts = (try? node.copy.load(space))??.facts ?? []
                if facts.contains(where: { $0.variable.hasPrefix("passing.") && $0.value != Array("null".utf8) }) {
                    complaints.append("\(node.name) has dropped state in \(space)")
                }
            }
        }
        let swept = commits(of: .common, cluster.nodes[0]).count { $0.action == "features/swept" }
        if swept != 1 { complaints.append("the end of the search for dropped state was noted \(swept) times") }
    }

    private func check(_ erased: [SpaceName: [String]]) {
        let copies = cluster.nodes.map { RandomRun.text(of: $0.copy) }
        if Set(copies).count > 1 { complaints.append("after the erasure the copies differ") }
        for node in cluster.nodes {
            for (space, texts) in erased {
                var bytes = (try? node.copy.load(space))??.facts.map { $0.value ?? [] } ?? []
                for commit in commits(of: space, node) {
                    bytes.append(commit.input ?? [])
                    bytes += commit.facts.map { $0.value ?? [] }
                }
                let content = bytes.map { String(decoding: $0, as: UTF8.self) }
                for text in texts where content.contains(where: { $0.contains("\"\(text)\"") }) {
                    complaints.append("\(node.name) has \(text) of an erased row in \(space)")
                }
                if !texts.isEmpty, commits(of: space, node).last(where: \.erases) == nil {
                    complaints.append("\(space) has no erasure")
                }
            }
        }
    }
}
