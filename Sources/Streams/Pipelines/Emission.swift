import JSON
import Reactive

/// The events that a part of a remembering pipeline delivers at one instant: values, then at most one end.
struct Emission {
    private(set) var events: [Event<JSON>] = []
    private(set) var isOver = false

    /// Delivers a value.
    mutating func emit(_ value: JSON) {
        if !isOver { events.append(.value(value)) }
    }

    /// Delivers the end.
    mutating func finish(_ end: End) {
        guard !isOver else { return }
        isOver = true
        events.append(.end(end))
    }

    /// Runs `body`, and delivers its error as a failure.
    mutating func attempt(_ body: (inout Emission) throws -> Void) {
        do { try body(&self) } catch { finish(.failed(error)) }
    }
}
