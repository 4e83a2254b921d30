package import HeadwaterClient

/// Storage that fails, or is the last that a process does, when a test wants that.
package final class FaultyStorage: ClientStorage, @unchecked Sendable {
    // Sendable because a test turns all that uses it on one thread.

    package struct Full: Error, CustomStringConvertible {
        package let description = "no space left on device"
        package init() {}
    }

    private let base: any ClientStorage
    /// True while nothing can be added.
    package var isFull = false
    /// The number of writes until the process dies, at once after the write; nil for never.
    package var writesLeft: Int?
    package var dies: () -> Void = {}

    package init(_ base: any ClientStorage) {
        self.base = base
    }

    package func open(subject: String, client: String) -> StoredSession { base.open(subject: subject, client: client) }

    package func append(_ lines: [[UInt8]], subject: String) throws {
        if let left = writesLeft, left <= 0 { return }
        if isFull { throw Full() }
        try base.append(lines, subject: subject)
        if let left = writesLeft {
            writesLeft = left - 1
            if left == 1 { dies() }
        }
    }

    package func value(of view: String, subject: String) -> [UInt8]? { base.value(of: view, subject: subject) }

    package func keep(_ value: [UInt8]?, of view: String, subject: String) {
        if let left = writesLeft, left <= 0 { return }
        base.keep(value, of: view, subject: subject)
    }

    package func erase(subject: String) { base.erase(subject: subject) }
}
