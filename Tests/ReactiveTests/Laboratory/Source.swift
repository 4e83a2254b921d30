import Reactive

/// A source that plays a marble drawing and records the spans of its subscriptions.
final class Source {
    private(set) var observable: Observable<String> = .never()
    private(set) var spans: [Span] = []
    private let clock: VirtualScheduler
    /// The alarms of a hot source that have not fired.
    private var alarms: [Alarm] = []

    /// Creates a source that plays a drawing from its beginning at each start. A hot source plays once, from now on,
    /// with or without listeners.
    init(_ marble: Marble, isHot: Bool, clock: VirtualScheduler) {
        self.clock = clock
        let subject = Subject<String>()
        observable = Observable { [unowned self] output in
            output.statefulness = .never
            let start = clock.now
            output.undo = { [unowned self] in spans.append(Span(from: start, to: clock.now)) }
            if isHot {
                output.listen(to: subject, receive: { output.emit($0) }, end: { output.finish($0) })
            } else {
                for (time, event) in marble.events {
                    output.after(.seconds(time), on: clock) { Self.play(event, value: output.emit, end: output.finish) }
                }
            }
        }
        guard isHot else { return }
        for (time, event) in marble.events {
            let alarm = Alarm(at: clock.now + .seconds(time)) { _ in
                Self.play(event, value: subject.send, end: subject.send)
            }
            alarms.append(alarm)
            clock.set(alarm)
        }
    }

    /// Stops playing.
    func fallSilent() {
        for alarm in alarms { alarm.cancel() }
    }

    private static func play(_ event: Marble.MarbleEvent, value: (String) -> Void, end: (End) -> Void) {
        switch event {
        case .value(let character): value(String(character))
        case .completion: end(.completed)
        case .failure: end(.failed(Broken()))
        }
    }
}
