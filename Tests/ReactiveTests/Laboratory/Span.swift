import Reactive

/// From when to when somebody listened, drawn a character a second: `^` where it began and `!` where it stopped, or `*` where both were in the
/// same second.
struct Span: Equatable, Sendable {
    let start: Int
    /// Nil where it is over when what was listened to is.
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
    /// The second it is in.
    var second: Int { Int(nanoseconds / 1_000_000_000) }
}
