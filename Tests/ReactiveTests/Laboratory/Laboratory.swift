import Reactive

/// The failure that `#` stands for.
struct Broken: Error, Equatable {}

/// Where an operator is tried: a graph, a virtual clock whose second is a character of a marble, and sources whose life is written down.
final class Laboratory {
    let graph: Graph
    let clock = VirtualScheduler()

    init(_ order: Graph.Order = .byHeight) {
        graph = Graph(order: order)
    }

    /// A source that plays a drawing, from its beginning, each time it is started.
    func cold(_ drawing: String) -> Source {
        Source(drawing, isHot: false, in: self)
    }

    /// A source that plays a drawing once, from time 0 on, whoever listens.
    func hot(_ drawing: String) -> Source {
        Source(drawing, isHot: true, in: self)
    }

    /// What is delivered to somebody who watches from `start` on until it ends or, in a drawing of `-` with a `!` at its end, until then.
    func watch(_ observable: Observable<String>, until stop: String = "", from start: Int = 0) -> Recording {
        let recording = Recording()
        let ended = stop.isEmpty ? 600 : stop.count - 1
        var subscription: Subscription?
        clock.set(
            Alarm(at: .zero + .seconds(start)) { [self] _ in
                subscription = observable.watch(
                    in: graph, receive: { [self] in recording.note(.value(Character($0)), at: clock.now) },
                    end: { [self] in recording.note($0, at: clock.now) })
            })
        clock.advance(to: .zero + .seconds(ended))
        subscription?.cancel()
        subscription = nil
        graph.checkInvariants()
        return recording
    }
}

/// What somebody who watched was told.
final class Recording {
    private var events: [(at: Int, event: Marble.Event)] = []
    /// The error that it ended with.
    private(set) var error: (any Error)?

    var drawing: String { Marble(events: events).drawing }

    func note(_ event: Marble.Event, at instant: Instant) {
        events.append((Int(instant.nanoseconds / 1_000_000_000), event))
    }

    func note(_ end: End, at instant: Instant) {
        switch end {
        case .completed: note(.completion, at: instant)
        case .failed(let error):
            self.error = error
            note(.failure, at: instant)
        }
    }
}
