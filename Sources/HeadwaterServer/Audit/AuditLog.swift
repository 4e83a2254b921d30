import Glibc
import Platform
import JSON
import StateStore

/// The audit log: a file with one line of JSON for each action, refusal and ticket. A line is in the file before its
/// request is answered, and survives the end of the process.
///
/// A failed write does not stop the server. The log says so, a metric counts the lost lines, and the file is tried again
/// with each line.
final class AuditLog: Sendable {
    private struct State {
        var descriptor: Int32
        var lostCount = 0
        var isFailing = false
        /// True if the last write ended within a line.
        var isWithinLine = false
        var strangers = StrangerBudget()
    }

    /// The lines about refusals without a subject. Anybody can cause such a refusal, so a second has at most `limit` of
    /// them, and the next line says how many were left out.
    private struct StrangerBudget {
        static let limit = 100
        private var second: Int64 = 0
        private var count = 0
        private var omitted = 0

        /// Returns the event with the number of those left out before it; nil if it is left out.
        mutating func admit(_ event: AuditEvent) -> AuditEvent? {
            guard event.kind == .refusal, event.by.isEmpty else { return event }
            if event.at.seconds != second { (second, count) = (event.at.seconds, 0) }
            count += 1
            guard count <= Self.limit else {
                omitted += 1
                return nil
            }
            var event = event
            event.omitted = omitted
            omitted = 0
            return event
        }
    }

    /// The file.
    let path: String
    private let log: Log
    private let state: Lock<State>
    /// True if lines have the inputs of actions.
    let hasInputs: Bool

    /// Opens the file, or creates it for its owner alone.
    init(_ path: String, hasInputs: Bool, _ log: Log) throws(CommandFault) {
        self.path = path
        self.log = log
        self.hasInputs = hasInputs
        state = Lock(State(descriptor: try Self.open(path)))
    }

    deinit {
        close(state.with { $0.descriptor })
    }

    private static func open(_ path: String) throws(CommandFault) -> Int32 {
        let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFault("--audit cannot write \(path): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    /// Throws if the file cannot be written.
    static func check(_ path: String) throws(CommandFault) {
        close(try open(path))
    }

    /// The lines that could not be written.
    var lostCount: Int { state.with { $0.lostCount } }

    /// Opens the file anew, after a rotation of logs renamed it.
    func reopen() {
        do throws(CommandFault) {
            let descriptor = try Self.open(path)
            let old = state.with { state in
                defer {
                    state.descriptor = descriptor
                    state.isWithinLine = false
                }
                return state.descriptor
            }
            close(old)
        } catch {
            log.write(.error, "the audit file stays open as it is", [("reason", error.description)])
        }
    }

    /// Writes one line.
    func write(_ event: AuditEvent) {
        guard let event = state.with({ $0.strangers.admit(event) }) else { return }
        let line = event.json.written + [UInt8(ascii: "\n")]
        let change = state.with { state -> Transition? in
            let bytes = state.isWithinLine ? [UInt8(ascii: "\n")] + line : line
            let written = Self.write(bytes, to: state.descriptor)
            if written > 0 { state.isWithinLine = written < bytes.count }
            let isFailing = written < bytes.count
            if isFailing { state.lostCount += 1 }
            guard isFailing != state.isFailing else { return nil }
            state.isFailing = isFailing
            return isFailing ? .fails(errno) : .works
        }
        switch change {
        case nil: break
        case .fails(let code)?:
            log.write(.error, "the audit file cannot be written", [("reason", String(cString: strerror(code)))])
        case .works?: log.write(.warning, "the audit file can be written again", [("lost", "\(lostCount)")])
        }
    }

    private enum Transition {
        case fails(Int32)
        case works
    }

    /// Writes bytes, and returns how many were written.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        return written
    }
}
