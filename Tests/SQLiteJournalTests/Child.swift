import DiskFaults
import Foundation
import Glibc

/// Another process with a journal, see `JournalChild`.
final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var read: [UInt8] = []

    init(_ arguments: String..., on disk: FaultyDisk? = nil) throws {
        process.executableURL = try Self.built("JournalChild")
        process.arguments = arguments
        if let disk { process.environment = ProcessInfo.processInfo.environment.merging(try disk.environment) { $1 } }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// The path of a product of this package, in the folder of the running program.
    static func built(_ name: String) throws -> URL {
        let program = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return program.deletingLastPathComponent().appendingPathComponent(name)
    }

    var identifier: Int32 { process.processIdentifier }

    /// Returns its next line of output, or nil at its end. Reading ends with the process, so it does not hang.
    func line() -> String? {
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                defer { read.removeFirst(end + 1) }
                return String(decoding: read[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            read.append(contentsOf: more)
        }
    }

    /// Writes a line to its standard input, and returns its next line of output.
    func ask(_ line: String) throws -> String? {
        try input.fileHandleForWriting.write(contentsOf: Array((line + "\n").utf8))
        return self.line()
    }

    /// Writes all of its standard input, and returns its whole output.
    func feed(_ lines: [[UInt8]]) throws -> [String] {
        for line in lines { try input.fileHandleForWriting.write(contentsOf: line + Array("\n".utf8)) }
        try input.fileHandleForWriting.close()
        var answers: [String] = []
        while let line = line() { answers.append(line) }
        process.waitUntilExit()
        return answers
    }

    /// Waits for its end, and returns its exit status.
    func end() throws -> Int32 {
        try input.fileHandleForWriting.close()
        while line() != nil {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Kills it, and returns its remaining output.
    func kill() -> [String] {
        Glibc.kill(identifier, SIGKILL)
        process.waitUntilExit()
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }
}
