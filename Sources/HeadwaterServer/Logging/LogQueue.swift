import Glibc
import Platform

/// The lines of a log that wait for its descriptor, and the thread that writes them.
///
/// At most `bytesLimit` wait. A line beyond is dropped and counted, and the log says the number when it writes again.
final class LogQueue: Sendable {
    /// The maximum number of waiting bytes.
    static let bytesLimit = 1 << 20

    private struct State {
        var lines: [UInt8] = []
        /// The dropped lines that the log has not said.
        var unsaid = 0
        var dropped = 0
        var isWriting = false
        var hasThread = false
        var isClosed = false
        var droppedLine: @Sendable (Int) -> [UInt8] = { _ in [] }
    }

    private let descriptor: Int32
    private let state = Lock(State())
    private let arrival = Condition()
    private let rest = Condition()

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Sets the line that says how many lines were dropped.
    func setDroppedLine(_ line: @escaping @Sendable (Int) -> [UInt8]) {
        state.with { $0.droppedLine = line }
    }

    /// The number of dropped lines.
    var droppedCount: Int { state.with { $0.dropped } }

    /// Adds a line, or drops it if too many wait.
    func add(_ line: [UInt8]) {
        let (wakes, starts) = state.with { state in
            guard !state.isClosed, state.lines.count + line.count <= Self.bytesLimit else {
                state.dropped += 1
                state.unsaid += 1
                return (false, false)
            }
            let wasEmpty = state.lines.isEmpty
            state.lines += line
            defer { state.hasThread = true }
            return (wasEmpty, !state.hasThread)
        }
        if starts { start() }
        if wakes { arrival.signal() }
    }

    private func start() {
        do throws(SystemThread.Failure) {
            // The thread holds the queue, not the log, so that the log can end it.
            try SystemThread { [self] in run() }.detach()
        } catch {
            // Without a thread there is no way to write that never waits.
            state.with { state in
                state.lines = []
                state.dropped += 1
                state.unsaid += 1
                state.hasThread = false
            }
        }
    }

    private func run() {
        while true {
            let (lines, isClosed) = state.with { state in
                var lines: [UInt8] = []
                swap(&lines, &state.lines)
                if state.unsaid > 0 {
                    lines += state.droppedLine(state.unsaid)
                    state.unsaid = 0
                }
                state.isWriting = !lines.isEmpty
                return (lines, state.isClosed)
            }
            if !lines.isEmpty {
                write(lines)
            } else {
                rest.signal()
                if isClosed || arrival.wait() == .stopped, state.with({ $0.lines.isEmpty }) { return }
            }
        }
    }

    /// Writes lines, and waits while the reader takes none.
    private func write(_ lines: [UInt8]) {
        var written = 0
        while written < lines.count {
            let count = lines[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, 1_000)
            } else if errno != EINTR {
                // Nobody reads: there is no stream left to report it.
                let lost = lines[written...].count { $0 == UInt8(ascii: "\n") }
                return state.with { $0.dropped += lost }
            }
        }
    }

    /// Waits until all lines are written, or until a time of the monotonic clock.
    func flush(until deadline: Int64) {
        while state.with({ $0.hasThread && ($0.isWriting || !$0.lines.isEmpty) }) {
            guard MonotonicTime.now < deadline else { return }
            _ = rest.wait(until: min(deadline, MonotonicTime.now + 10_000_000))
        }
    }

    /// Ends the thread after the lines that wait.
    func close() {
        state.with { $0.isClosed = true }
        arrival.stop()
    }
}
