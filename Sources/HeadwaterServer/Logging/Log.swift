import Glibc
import JSON
import StateStore

/// What the server tells those who run it: a line each, on standard error.
final class Log: Sendable {
    /// How much something matters.
    enum Level: String, CaseIterable, Comparable {
        case debug, info, warning, error

        private var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        static func < (one: Level, other: Level) -> Bool { one.weight < other.weight }
    }

    /// How a line is written.
    enum Format: String, CaseIterable {
        case text, json
    }

    let level: Level
    private let format: Format

    init(_ level: Level, _ format: Format) {
        self.level = level
        self.format = format
    }

    /// Tells something, with names and values that belong to it.
    func write(_ level: Level, _ message: String, _ values: [(String, String)] = []) {
        guard level >= self.level else { return }
        var line: [UInt8]
        switch format {
        case .text:
            line = Array("\(TimeText.text(Timestamp.now)) \(level.rawValue) \(message)".utf8)
            for (name, value) in values { line += Array(" \(name)=\(Self.quoted(value))".utf8) }
        case .json:
            var object = JSON.Object()
            object["at"] = .string(TimeText.text(Timestamp.now))
            object["level"] = .string(level.rawValue)
            object["message"] = .string(message)
            for (name, value) in values { object[name] = .string(value) }
            line = JSON.object(object).written
        }
        line.append(UInt8(ascii: "\n"))
        // In one write, so that lines of several threads do not mix. Where it fails there is nobody left to be told.
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }

    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 < 0x7F }
        return isPlain ? value : String(decoding: JSON.string(value).written, as: UTF8.self)
    }
}

extension Timestamp {
    /// The time of day and year.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
