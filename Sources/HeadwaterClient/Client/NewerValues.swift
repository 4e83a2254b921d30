import JSON
import Synchronization

/// The values of a stream of values with phases, each once: a change of the phase alone repeats the value.
final class NewerValues: Sendable {
    private let last = Mutex<Int?>(nil)

    /// Returns the value, unless it has been returned before.
    func next<Value>(_ shown: Shown<Value>) -> Value? {
        guard let value = shown.value else { return nil }
        return last.withLock { last in
            if last == shown.revision { return nil }
            last = shown.revision
            return value
        }
    }
}

/// The numbers of the values of a view: an equal value that comes again keeps its number.
final class ValueRevisions: Sendable {
    private let last = Mutex<(value: JSON?, revision: Int)>((nil, 0))

    /// Returns the number of a value.
    func revision(of value: JSON?) -> Int {
        last.withLock { last in
            if last.value != value { last = (value, last.revision + 1) }
            return last.revision
        }
    }
}
