import Ground
import Glibc
import JSON
import StateStore

/// The log: one line per message on standard error.
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

    init(_ level: Level, _ format: Format) {
        self.level = level
        self.format = format
    }

    /// Writes a message with named values.
    func write(_ level: Level, _ message: String, _ values: [(String, String)] = []) {
        guard level >= self.level else { return }
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
            for (name, value) in values { object[name] = .string(value) }
            line = JSON.object(object).written
        }
        line.append(UInt8(ascii: "\n"))
        // One write per line, so that lines of several threads do not mix. A failure is ignored: there is no stream
        // left to report it.
        _ = Glibc.write(STDERR_FILENO, line, line.count)
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
