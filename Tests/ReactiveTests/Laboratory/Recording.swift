import Reactive

/// The events that an observer received, with their times.
final class Recording {
    /// One line per event: its second, and the value or the kind of end.
    private(set) var lines: [String] = []
    /// The error of the end.
    private(set) var error: (any Error)?

    func note(_ value: Any, at instant: Instant) {
        lines.append("\(instant.second) \(Self.text(of: value))")
    }

    func note(_ end: End, at instant: Instant) {
        switch end {
        case .completed: lines.append("\(instant.second) |")
        case .failed(let error):
            self.error = error
            lines.append("\(instant.second) # \(type(of: error))")
        }
    }

    /// The value as a course writes it: tuples and arrays as the sequence of their members.
    private static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .tuple: return mirror.children.map { text(of: $0.value) }.joined()
        case .collection: return mirror.children.isEmpty ? "[]" : mirror.children.map { text(of: $0.value) }.joined()
        case .optional: return mirror.children.first.map { text(of: $0.value) } ?? "nil"
        default: return "\(value)"
        }
    }
}
