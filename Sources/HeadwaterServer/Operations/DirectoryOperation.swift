import Ground
import JSON
import StateStore

/// Work on the data directory that an administrator has started: a verification, a backup or an import.
final class DirectoryOperation: Sendable {
    /// The kind of an operation.
    enum OperationKind: String, CaseIterable {
        case verify, backup
        case importing = "import"

        /// True if it makes a directory, which its client names.
        var makesDirectory: Bool { self != .verify }
        /// The unit of its progress.
        var unit: String {
            switch self {
            case .verify: "spaces"
            case .backup: "bytes"
            case .importing: "lines"
            }
        }
    }

    /// The state of an operation.
    enum OperationStatus: String {
        case waiting, running, done, failed
    }

    private struct Progress {
        var status = OperationStatus.waiting
        var done = 0
        var total: Int?
        var result: JSON?
        var problem: String?
        var ended: Timestamp?
    }

    let id: String
    let kind: OperationKind
    /// The name of the directory that it makes; nil for none.
    let name: String?
    private let subject: String
    private let began: Timestamp
    private let clock: @Sendable () -> Timestamp
    private let progress = Lock(Progress())

    init(
        _ id: String, _ kind: OperationKind, name: String?, by subject: String,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.id, self.kind, self.name, self.subject, self.clock) = (id, kind, name, subject, clock)
        began = clock()
    }

    var status: OperationStatus { progress.with { $0.status } }
    /// True if it has not ended.
    var isOpen: Bool { status == .waiting || status == .running }

    func begin() { progress.with { $0.status = .running } }

    /// Notes how much is done, of how much if that is known.
    func note(_ done: Int, of total: Int? = nil) {
        progress.with { progress in
            progress.done = done
            if let total { progress.total = total }
        }
    }

    /// Ends the operation. A result that tells of faults is one too.
    func end(_ result: Result<JSON, JournalFailure>) {
        let now = clock()
        progress.with { progress in
            progress.ended = now
            switch result {
            case .success(let json): (progress.status, progress.result) = (.done, json)
            case .failure(let failure): (progress.status, progress.problem) = (.failed, failure.description)
            }
        }
    }

    var json: JSON {
        let progress = progress.with { $0 }
        var object = JSON.Object()
        object["id"] = .string(id)
        object["operation"] = .string(kind.rawValue)
        object["name"] = name.map { .string($0) }
        object["by"] = ["sub": .string(subject)]
        object["status"] = .string(progress.status.rawValue)
        object["progress"] = [
            "done": .number(Decimal(progress.done)), "total": progress.total.map { .number(Decimal($0)) } ?? .null,
            "unit": .string(kind.unit),
        ]
        object["result"] = progress.result
        object["problem"] = progress.problem.map { .string($0) }
        object["began"] = .string(RFC3339.text(microseconds: began.microseconds))
        object["ended"] = progress.ended.map { .string(RFC3339.text(microseconds: $0.microseconds)) }
        return .object(object)
    }
}
