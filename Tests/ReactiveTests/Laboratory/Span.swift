import Reactive

/// The span of a subscription, drawn with one character per second: `^` for its beginning, `!` for its stop, or `*` for
/// both in the same second.
struct Span: Equatable, Sendable {
    let start: Int
    /// The second of the stop; nil if the span ends with the source.
    let stop: Int?

    init(from start: Instant, to stop: Instant) {
        self.start = start.second
        self.stop = stop.second
    }

    init?(_ drawing: String) {
        guard let first = drawing.firstIndex(where: { $0 != "-" }) else { return nil }
        let rest = drawing[first...].dropFirst()
        start = drawing.distance(from: drawing.startIndex, to: first)
        switch drawing[first] {
        case "*" where rest.isEmpty: stop = start
        case "^" where rest.isEmpty: stop = nil
        case "^" where rest.last == "!" && rest.dropLast().allSatisfy { $0 == "-" }: stop = start + rest.count
        default: return nil
        }
    }

    var drawing: String {
        let before = String(repeating: "-", count: start)
        guard let stop else { return before + "^" }
        return start == stop ? before + "*" : before + "^" + String(repeating: "-", count: stop - start - 1) + "!"
    }
}

extension Instant {
    /// Returns the second of an instant.
    var second: Int { Int(nanoseconds / 1_000_000_000) }
}
