import Glibc
import Platform
import StateStore

/// The thread that looks once a second at what no request would notice: the machine's clock, the command
/// `clock accept`, the refusals that the log sums up, and the list of large spaces. It runs beside the loops, so none of
/// them wakes for it.
final class Lookout: Sendable {
    /// The nanoseconds between two looks.
    private static let period: Int64 = 1_000_000_000

    private let clock: SteadyClock
    private let log: Log
    private let acceptance: ClockAcceptance?
    private let large: LargeSpaces?
    private let stepped: @Sendable (_ isAccepted: Bool) -> Void
    private let end = Condition()

    /// A lookout that calls `stepped` when the time of commits has made a step.
    init(
        _ clock: SteadyClock, _ log: Log, _ acceptance: ClockAcceptance?, _ large: LargeSpaces?,
        stepped: @escaping @Sendable (_ isAccepted: Bool) -> Void
    ) {
        (self.clock, self.log, self.acceptance, self.stepped) = (clock, log, acceptance, stepped)
        self.large = large
    }

    /// Begins to look.
    func begin() throws(SystemThread.Failure) {
        try SystemThread { [self] in
            while end.wait(until: MonotonicTime.now + Self.period) == .timedOut { look() }
        }.detach()
    }

    private func look() {
        log.writeSums()
        large?.save()
        var isAccepted = false
        if let acceptance, acceptance.isAsked {
            acceptance.note(clock.accept())
            isAccepted = true
        }
        for event in clock.look() {
            log.write(.warning, "\(event)")
            if case .followed = event { stepped(false) }
        }
        if isAccepted { stepped(true) }
    }

    /// Ends the thread.
    func close() {
        end.stop()
        large?.save()
    }
}

/// The file by which `clock accept` asks the server on a directory to follow the machine's clock back.
struct ClockAcceptance: Sendable {
    private let request: String
    private let record: String

    init(_ directory: String) {
        request = "\(directory)/clock.accept"
        record = "\(directory)/clock.accepted"
    }

    /// Asks the server, or the next one on the directory.
    func ask() throws(CommandFault) {
        let descriptor = open(request, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFault("cannot write \(request): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }

    /// True if the command has asked.
    var isAsked: Bool { access(request, F_OK) == 0 }

    /// Notes that the server has followed the machine's clock back from a time. A start does not return to it.
    func note(_ time: Timestamp) {
        let descriptor = open(record, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            _ = StandardStreams.write(Array("\(time.microseconds)\n".utf8), to: descriptor)
            close(descriptor)
        }
        unlink(request)
    }

    /// Returns the time before which the clock of a start must not be: that of the newest commit, unless the operator has
    /// accepted an earlier one since.
    func floor(newest: Timestamp?) -> Timestamp? {
        guard let newest else { return nil }
        if isAsked {
            note(newest)
            return nil
        }
        guard let text = try? TextFile.read(record), let accepted = Int64(text.filter { !$0.isWhitespace }),
            newest.microseconds <= accepted
        else { return newest }
        return nil
    }
}
