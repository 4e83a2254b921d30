import Reactive

/// A source that plays a marble drawing and writes down from when to when it was listened to.
final class Source {
    private(set) var observable: Observable<String> = .never()
    /// When it was listened to: `^` where it began and `!` where it stopped, a character a second; both at once is `*`.
    private(set) var spans: [String] = []

    init(_ drawing: String, isHot: Bool, in laboratory: Laboratory) {
        guard let marble = try? Marble(drawing) else { preconditionFailure("not a marble: \(drawing)") }
        let clock = laboratory.clock
        let subject = Subject<String>()
        if isHot {
            for (time, event) in marble.events {
                clock.set(Alarm(at: .zero + .seconds(time)) { _ in Source.play(event, value: subject.send, end: subject.send) })
            }
        }
        observable = Observable { [unowned self] output in
            let start = second(of: clock.now)
            output.undo = { [unowned self] in
                spans.append(Source.span(from: start, to: second(of: clock.now)))
            }
            if isHot {
                output.listen(to: subject, receive: { output.emit($0) }, end: { output.finish($0) })
            } else {
                for (time, event) in marble.events {
                    output.after(.seconds(time), on: clock) { Source.play(event, value: output.emit, end: output.finish) }
                }
            }
        }
    }

    private func second(of instant: Instant) -> Int { Int(instant.nanoseconds / 1_000_000_000) }

    private static func play(_ event: Marble.Event, value: (String) -> Void, end: (End) -> Void) {
        switch event {
        case .value(let character): value(String(character))
        case .completion: end(.completed)
        case .failure: end(.failed(Broken()))
        }
    }

    private static func span(from start: Int, to end: Int) -> String {
        let before = String(repeating: "-", count: start)
        return start == end ? before + "*" : before + "^" + String(repeating: "-", count: end - start - 1) + "!"
    }
}
