import JSON
import Reactive
import StateModel

/// The remembering streams of a space. They are made when the space is loaded or defines them, and compute once in each
/// of its commits, in the order of their ids.
package final class RememberedStreams {
    private let streams: StreamsState
    private let views: SpaceViews
    private let formulas: Formulas
    private var known: [String: RememberedStream] = [:]
    /// The streams whose memory came from members that are private now, or from behind a rule that is gone. They begin anew
    /// with the next commit.
    private var exposed: Set<String> = []
    /// The ids of `known`, in their order.
    private var ids: [String] = []
    /// The observables of the values, by id.
    private var outputs: [String: Observable<JSON>] = [:]

    init(_ streams: StreamsState, _ views: SpaceViews, _ formulas: Formulas) {
        self.streams = streams
        self.views = views
        self.formulas = formulas
    }

    /// The name of the variable that holds the memory of a stream.
    package static func variable(of id: String) -> String { "~streams.\(id)" }

    /// The memory of a stream, which is made if there is none.
    private func memory(of id: String) -> Memory { views.memories.memory(Self.variable(of: id)) }

    /// The memory of a stream; nil if it is empty.
    private func existingMemory(of id: String) -> Memory? {
        views.memories.existing(Self.variable(of: id)).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the stream of an id; nil if the space has no memory of it. Without `resume`, as for a version of the past,
    /// it is made from the memory for one reading and does not follow its views.
    private func stream(_ id: String) -> RememberedStream? {
        if let stream = known[id] { return stream }
        guard let memory = existingMemory(of: id), let program = program(id),
            !RememberedStream.isExposed(memory, of: program, in: views)
        else { return nil }
        return RememberedStream(program, memory, views)
    }

    private func add(_ stream: RememberedStream, as id: String) -> RememberedStream {
        known[id] = stream
        ids = known.keys.sorted()
        return stream
    }

    private func remove(_ id: String) {
        known[id] = nil
        exposed.remove(id)
        ids = known.keys.sorted()
    }

    /// Returns the program of an id if it remembers. One that is invalid for this release does not; its view fails with
    /// the faults.
    private func program(_ id: String) -> StreamProgram? {
        do throws(DefinitionFaults) {
            let program = try streams.program(id, formulas)
            return program?.role == .remembering ? program : nil
        } catch {
            return nil
        }
    }

    /// The value of a stream, whatever its definition is.
    func output(_ id: String) -> Observable<JSON> {
        if let output = outputs[id] { return output }
        let output = Observable<JSON>(madeBy: "remembered") { [unowned self] output in
            guard let stream = stream(id) else { return output.emit(.null) }
            stream.deliver(to: output)
        }
        outputs[id] = output
        return output
    }
}

extension RememberedStreams: Rememberer {
    var isRemembering: Bool { !known.isEmpty || !exposed.isEmpty }
    var deliversAtOnce: Bool { false }

    var due: Timestamp? { ids.compactMap { known[$0]?.due }.min() }

    func resume(in graph: Graph) {
        known = [:]
        exposed = []
        ids = []
        for id in streams.definitions.rows.keys.sorted() {
            guard let memory = existingMemory(of: id), let program = program(id) else { continue }
            guard !RememberedStream.isExposed(memory, of: program, in: views) else {
                exposed.insert(id)
                continue
            }
            let stream = add(RememberedStream(program, memory, views), as: id)
            stream.isChanged = true
            stream.connect(views, in: graph)
        }
    }

    func update(_ change: OwnChange, _ entries: [String: [UInt8]], of variable: String, in graph: Graph) {
        let rows = streams.definitions.rows
        for id in ids where rows[id] == nil {
            existingMemory(of: id)?.removeAll()
            remove(id)
            outputs[id] = nil
        }
        for (id, row) in rows.sorted(by: { $0.key < $1.key }) {
            // `remember` begins an exposed one anew.
            guard !exposed.contains(id), known[id] != nil || row.mayRemember(formulas) else { continue }
            guard let program = program(id) else {
                existingMemory(of: id)?.removeAll()
                remove(id)
                continue
            }
            if let stream = known[id], stream.has(program) { continue }
            let memory = memory(of: id)
            memory.removeAll()
            if memory.variable == variable { for (key, value) in entries { memory[key] = value } }
            let isNew = memory.isEmpty
            let stream = add(RememberedStream(program, memory, views), as: id)
            if isNew { stream.begin(at: change.version) }
            stream.connect(views, in: graph)
        }
    }

    func remember(_ change: OwnChange, in graph: Graph) {
        for id in exposed.sorted() { beginAnew(id, at: change.version, in: graph) }
        refill()
        for id in ids { known[id]?.elapse(to: change.at) }
        for id in ids { known[id]?.remember(change) }
    }

    private func beginAnew(_ id: String, at version: Int, in graph: Graph) {
        exposed.remove(id)
        let memory = memory(of: id)
        memory.removeAll()
        guard let program = program(id) else { return }
        memory.isRestarted = true
        let stream = add(RememberedStream(program, memory, views), as: id)
        stream.begin(at: version, takesFirst: true)
        stream.connect(views, in: graph)
    }

    func elapse(to time: Timestamp, in graph: Graph) {
        refill()
        for id in ids { known[id]?.elapse(to: time) }
    }

    private func refill() {
        let count = ids.count + exposed.count
        for id in ids { known[id]?.refill(shareOf: count) }
    }

    func refresh(in graph: Graph) {
        let active = outputs.filter { $0.value.isActive }
        guard !active.isEmpty else { return }
        graph.turn {
            for (id, output) in active.sorted(by: { $0.key < $1.key }) {
                guard let stream = stream(id) else { continue }
                if stream.end != nil || output.latest != stream.value { stream.deliver(to: output) }
            }
        }
    }

    func sources(of output: Node, in graph: Graph) -> (nodes: [Node], subscriptions: [Subscription])? {
        guard let id = outputs.first(where: { $0.value === output })?.key, let stream = stream(id) else { return nil }
        let sources = stream.viewNames.compactMap { views[$0] }
        return (sources, sources.map { $0.watch(in: graph, receive: { _ in }) })
    }

    func show(in graph: Graph) {
        let changed = ids.filter { known[$0]?.isChanged == true }
        guard !changed.isEmpty else { return }
        graph.turn {
            for id in changed {
                guard let stream = known[id] else { continue }
                stream.isChanged = false
                if let output = outputs[id], output.isActive { stream.deliver(to: output) }
            }
        }
    }
}
