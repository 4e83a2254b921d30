import Synchronization

/// Storage that ends with the process, for previews and tests.
public final class MemoryStorage: ClientStorage {
    private struct KeptSubject {
        var client: String
        var lines: [[UInt8]] = []
        var values: [String: [UInt8]] = [:]
    }

    private let subjects = Mutex<[String: KeptSubject]>([:])

    /// Storage without content.
    public init() {}

    /// Opens what is kept of a subject.
    public func open(subject: String, client: String) -> StoredSession {
        subjects.withLock { subjects in
            let kept = subjects[subject] ?? KeptSubject(client: client)
            subjects[subject] = kept
            return StoredSession(client: kept.client, lines: kept.lines)
        }
    }

    /// Adds lines to the queue of the subject.
    public func append(_ lines: [[UInt8]], subject: String) {
        subjects.withLock { $0[subject]?.lines += lines }
    }

    /// The last value of a view.
    public func value(of view: String, subject: String) -> [UInt8]? {
        subjects.withLock { $0[subject]?.values[view] }
    }

    /// Keeps the last value of a view, or erases it.
    public func keep(_ value: [UInt8]?, of view: String, subject: String) {
        subjects.withLock { $0[subject]?.values[view] = value }
    }

    /// Erases all of a subject.
    public func erase(subject: String) {
        subjects.withLock { $0[subject] = nil }
    }
}
