import Glibc
import Platform
import Testing

@testable import HeadwaterServer

/// Law CALM1: writing to the log never waits.
struct LogTests {
    /// A pipe whose end for reading a test reads, or not.
    private final class Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            // A log that writes on after the test has closed the pipe must not end the process, as in the server.
            signal(SIGPIPE, SIG_IGN)
            var ends: [Int32] = [0, 0]
            let code = pipe(&ends)
            try #require(code == 0)
            (reading, writing) = (ends[0], ends[1])
        }

        deinit {
            close(reading)
            close(writing)
        }

        /// Reads lines until they satisfy a condition together.
        func allLines(until isWhole: ([String]) -> Bool) -> [String] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
                if bytes.last == UInt8(ascii: "\n"), isWhole(lines) { return lines }
                let count = read(reading, &buffer, buffer.count)
                guard count > 0 else { return lines }
                bytes += buffer[..<count]
            }
        }

        /// Reads lines until one satisfies a condition.
        func lines(until isLast: (String) -> Bool) -> [String] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
                if let place = lines.firstIndex(where: isLast) { return Array(lines[...place]) }
                let count = read(reading, &buffer, buffer.count)
                guard count > 0 else { return lines }
                bytes += buffer[..<count]
            }
        }
    }

    @Test func `a reader that has stopped loses lines, and hears how many`() throws {
        let pipe = try Pipe()
        let log = Log(.info, .text, to: pipe.writing)
        let text = String(repeating: "x", count: 1_000)
        for _ in 0..<3_000 { log.write(.info, text) }
        let dropped = log.droppedCount
        #expect(dropped > 500 && dropped < 2_500)
        // The lines that were dropped before and after the thread has begun are counted apart.
        func counted(_ lines: [String]) -> Int {
            lines.reduce(0) { sum, line in
                guard line.contains(" warning log lines were dropped count=") else { return sum }
                return sum + (line.split(separator: "=").last.flatMap { Int($0) } ?? 0)
            }
        }
        let lines = pipe.allLines { lines in lines.count { $0.hasSuffix(text) } + counted(lines) >= 3_000 }
        #expect(lines.count { $0.hasSuffix(text) } == 3_000 - dropped && counted(lines) == dropped)
    }

    @Test func `refusals of a kind are summed up once a second`() throws {
        let pipe = try Pipe()
        let now = Lock<Int64>(0)
        let log = Log(.info, .text, to: pipe.writing) { now.with { $0 } }
        let kind = RepeatedRefusals.Kind(.warning, "answered", [("route", "/v1"), ("status", "503")])
        for _ in 0..<659 { log.write(kind, [("request", "1"), ("status", "503")]) }
        log.write(
            RepeatedRefusals.Kind(.warning, "answered", [("route", "/v2"), ("status", "503")]), [("request", "2")])
        log.writeSums()
        now.with { $0 = 1_000_000_000 }
        log.writeSums()
        now.with { $0 = 3_000_000_000 }
        log.writeSums()
        log.write(kind, [("request", "3"), ("status", "503")])
        log.write(.info, "end")
        let lines = pipe.lines { $0.hasSuffix("end") }.map { $0.drop { $0 != " " }.dropFirst() }
        #expect(
            lines == [
                "warning answered request=1 status=503", "warning answered request=2",
                "warning answered route=/v1 status=503 repeated=658", "warning answered request=3 status=503",
                "info end",
            ])
    }

    @Test func `a log whose descriptor is closed counts the lines that it loses`() throws {
        let log = Log(.info, .json, to: -1)
        log.write(.info, "one")
        log.flush()
        #expect(log.droppedCount == 1)
    }
}
