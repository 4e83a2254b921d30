package import JSON
package import Reactive
package import StateModel

/// The remembering pipelines of a feature in one space. They compute once in each commit of the space, each after those
/// that it reads, and deliver at once, so that the next one reads the new value.
///
/// A pipeline begins with the first commit of the space that it sees. It continues with the memory of an equal pipeline;
/// the memory of another one is removed when it begins.
package final class RememberedPipelines {
    private let pipelines: [ViewPipeline]
    /// The variables that hold the memories, in the order of the pipelines.
    private let variables: [String]
    private let views: SpaceViews
    private var known: [RememberedStream?]
    private var outputs: [Observable<JSON>?]

    /// The pipelines in an order in which each comes after those that it reads, and the variables of their memories.
    package init(_ pipelines: [ViewPipeline], _ variables: [String], _ views: SpaceViews) {
        (self.pipelines, self.variables, self.views) = (pipelines, variables, views)
        known = pipelines.map { _ in nil }
        outputs = pipelines.map { _ in nil }
    }

    /// The value of the pipeline of a view: null before its first one.
    package func output(_ label: String) -> Observable<JSON> {
        guard let index = pipelines.firstIndex(where: { $0.label == label }) else { return .just(.null) }
        if let output = outputs[index] { return output }
        let output = Observable<JSON>(madeBy: "remembered") { [weak self] output in
            guard let stream = self?.stream(index) else { return output.emit(.null) }
            stream.deliver(to: output)
        }
        outputs[index] = output
        return output
    }

    /// Returns the stream of a pipeline; nil if the space has no memory of it. Without `resume`, as for a version of the
    /// past, it is made from the memory for one reading and does not follow its views.
    private func stream(_ index: Int) -> RememberedStream? {
        known[index] ?? memory(index).map { RememberedStream(pipelines[index].program, $0, views) }
    }

    /// The memory of a pipeline; nil if there is none, if it is that of another pipeline, or if it came from members that
    /// are private now or from behind a rule that is gone.
    private func memory(_ index: Int) -> Memory? {
        guard let memory = ownMemory(index),
            !RememberedStream.isExposed(memory, of: pipelines[index].program, in: views)
        else { return nil }
        return memory
    }

    private func ownMemory(_ index: Int) -> Memory? {
        guard let memory = views.memories.existing(variables[index]), !memory.isEmpty,
            RememberedStream.identity(of: memory) == pipelines[index].identity
        else { return nil }
        return memory
    }

    private func begin(_ index: Int, at version: Int, in graph: Graph) {
        let memory = views.memories.memory(variables[index])
        memory.isRestarted = ownMemory(index) != nil
        memory.removeAll()
        let stream = RememberedStream(pipelines[index].program, memory, views)
        known[index] = stream
        stream.begin(at: version, of: pipelines[index].identity, takesFirst: true)
        stream.connect(views, in: graph)
    }

    private func show(_ index: Int, in graph: Graph) {
        guard let stream = known[index], stream.isChanged else { return }
        stream.isChanged = false
        guard let output = outputs[index], output.isActive else { return }
        graph.turn { stream.deliver(to: output) }
    }
}

extension RememberedPipelines: Rememberer {
    package var isRemembering: Bool { true }
    package var deliversAtOnce: Bool { false }

    package var due: Timestamp? { known.compactMap { $0?.due }.min() }

    package func resume(in graph: Graph) {
        for index in pipelines.indices {
            known[index] = nil
            guard let memory = memory(index) else { continue }
            let stream = RememberedStream(pipelines[index].program, memory, views)
            known[index] = stream
            stream.isChanged = true
            stream.connect(views, in: graph)
        }
    }

    // The definitions of a document are no state of the space.
    package func update(_ change: OwnChange, _ entries: [String: [UInt8]], of variable: String, in graph: Graph) {}

    package func remember(_ change: OwnChange, in graph: Graph) {
        for index in pipelines.indices {
            if known[index] == nil { begin(index, at: change.version, in: graph) }
            known[index]?.refill(shareOf: pipelines.count)
            known[index]?.elapse(to: change.at)
            known[index]?.remember(change)
            show(index, in: graph)
        }
    }

    package func elapse(to time: Timestamp, in graph: Graph) {
        for stream in known {
            stream?.refill(shareOf: pipelines.count)
            stream?.elapse(to: time)
        }
    }

    package func refresh(in graph: Graph) {
        for (index, output) in outputs.enumerated() {
            guard let output, output.isActive, let stream = stream(index) else { continue }
            guard stream.end != nil || output.latest != stream.value else { continue }
            graph.turn { stream.deliver(to: output) }
        }
    }

    package func show(in graph: Graph) {
        for index in pipelines.indices { show(index, in: graph) }
    }

    package func sources(of output: Node, in graph: Graph) -> (nodes: [Node], subscriptions: [Subscription])? {
        guard let index = outputs.firstIndex(where: { $0 === output }), let stream = stream(index) else { return nil }
        let sources = stream.viewNames.compactMap { views[$0] }
        return (sources, sources.map { $0.watch(in: graph, receive: { _ in }) })
    }
}
