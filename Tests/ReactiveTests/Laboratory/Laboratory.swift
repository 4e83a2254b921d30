import Reactive

/// The environment of an operator test: a graph, a virtual clock with one second per character of a drawing, and
/// sources that record their subscriptions.
@dynamicMemberLookup
final class Laboratory {
    let graph: Graph
    let clock = VirtualScheduler()
    private(set) var sources: [String: Source] = [:]
    private var subscriptions: [Int: Subscription] = [:]

    init(_ order: Graph.JointOrder = .byHeight) {
        graph = Graph(order: order)
    }

    /// Returns the source of a name.
    subscript(name: String) -> Observable<String> {
        guard let source = sources[name] else { preconditionFailure("no source is called \(name)") }
        return source.observable
    }

    /// Returns the source of a name.
    subscript(dynamicMember name: String) -> Observable<String> { self[name] }

    func add(_ name: String, _ marble: Marble, isHot: Bool) {
        sources[name] = Source(marble, isHot: isHot, clock: clock)
    }

    /// Returns the events that observers receive during the spans. A span without a stop lasts until the end.
    func watch<Value>(_ observable: Observable<Value>, over spans: [Span]) -> [Recording] {
        let recordings = spans.map { _ in Recording() }
        for (number, span) in spans.enumerated() {
            let recording = recordings[number]
            clock.set(
                Alarm(at: .zero + .seconds(span.start)) { [self] _ in
                    subscriptions[number] = observable.watch(
                        in: graph, receive: { [clock] in recording.note($0, at: clock.now) },
                        end: { [clock] in recording.note($0, at: clock.now) })
                })
        }
        let patience = 100
        for (number, stop) in spans.map({ $0.stop ?? patience }).enumerated().sorted(by: { $0.element < $1.element }) {
            clock.advance(to: .zero + .seconds(stop))
            graph.checkInvariants()
            subscriptions[number]?.cancel()
            graph.checkInvariants()
        }
        for source in sources.values { source.fallSilent() }
        return recordings
    }
}
