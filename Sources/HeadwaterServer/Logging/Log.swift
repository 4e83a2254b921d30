import Ground
import Platform
import Glibc
import JSON
import StateStore

/// The log: one line per message on standard error. Writing a message never waits for the reader of standard error.
///
/// A fault that lasts refuses many requests for one reason. Their warnings are summed up: the first of a second is
/// written at once, and the others become one line with their number (`repeated`).
final class Log: Sendable {
    /// The severity of a message.
    enum Level: String, CaseIterable, Comparable {
        case debug, info, warning, error

        // Each answer compares levels, so this is no search through the cases.
        private var weight: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }

        static func < (one: Level, other: Level) -> Bool { one.weight < other.weight }
    }

    /// The format of a line.
    enum Format: String, CaseIterable {
        case text, json
    }

    let level: Level
    private let format: Format
    private let queue: LogQueue
    private let refusals = Lock(RepeatedRefusals())
    private let time: @Sendable () -> Int64

    /// A log on a descriptor. `time` is the monotonic clock in nanoseconds.
    init(
        _ level: Level, _ format: Format, to descriptor: Int32 = STDERR_FILENO,
        time: @escaping @Sendable () -> Int64 = { MonotonicTime.now }
    ) {
        self.level = level
        self.format = format
        self.time = time
        queue = LogQueue(descriptor)
        queue.setDroppedLine { [format] count in
            Self.line(.warning, "log lines were dropped", [("count", "\(count)")], format)
        }
    }

    deinit { queue.close() }

    /// The number of lines that were dropped because the reader of the log did not take them.
    var droppedCount: Int { queue.droppedCount }

    /// Waits until all lines are written, for `nanoseconds` at most.
    func flush(within nanoseconds: Int64 = 500_000_000) {
        queue.flush(until: MonotonicTime.now + nanoseconds)
    }

    /// Writes a message with named values.
    func write(_ level: Level, _ message: String, _ values: [(String, String)] = []) {
        guard level >= self.level else { return }
        queue.add(Self.line(level, message, values, format))
    }

    /// Writes a message about a refusal. Further ones of its kind within a second are summed up.
    func write(_ kind: RepeatedRefusals.Kind, _ values: [(String, String)]) {
        guard kind.level >= level else { return }
        let now = time()
        let (isFirst, sums) = refusals.with { ($0.note(kind, at: now), $0.take(at: now)) }
        write(sums)
        if isFirst { write(kind.level, kind.message, values) }
    }

    /// Writes the sums of refusals whose second is over. The server calls this once a second.
    func writeSums() {
        let now = time()
        write(refusals.with { $0.take(at: now) })
    }

    private func write(_ sums: [RepeatedRefusals.RefusalSum]) {
        for sum in sums {
            let values = sum.kind.values.map { ($0.name, $0.value) }
            write(sum.kind.level, sum.kind.message, values + [("repeated", "\(sum.count)")])
        }
    }

    private static func line(
        _ level: Level, _ message: String, _ values: [(String, String)], _ format: Format
    ) -> [UInt8] {
        var line: [UInt8]
        switch format {
        case .text:
            line = Array("\(RFC3339.text(microseconds: Timestamp.now.microseconds)) \(level.rawValue) \(message)".utf8)
            for (name, value) in values { line += Array(" \(name)=\(Self.quoted(value))".utf8) }
        case .json:
            var object = JSON.Object()
            object["at"] = .string(RFC3339.text(microseconds: Timestamp.now.microseconds))
            object["level"] = .string(level.rawValue)
            object["message"] = .string(message)
            for (name, value) in values { object[name] = Self.json(name, value) }
            line = JSON.object(object).written
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The values that are numbers. Others, such as the id of a request, can look like one.
    private static let numbers: Set = [
        "status", "milliseconds", "port", "loops", "tokens", "count", "repeated", "lost", "seconds", "attempt", "lane",
        "spaces", "bytes", "space-memory",
    ]

    private static func json(_ name: String, _ value: String) -> JSON {
        guard numbers.contains(name), let first = value.utf8.first, first == 0x2D || (48...57).contains(first),
            case .number(let number)? = try? JSON(parsing: Array(value.utf8))
        else { return .string(value) }
        return .number(number)
    }

    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty
            && value.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 < 0x7F }
        return isPlain ? value : String(decoding: JSON.string(value).written, as: UTF8.self)
    }
}

extension Timestamp {
    /// The current time.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
