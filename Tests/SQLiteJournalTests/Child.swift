import Foundation
import Glibc

/// Another process with a journal, see `JournalChild`.
final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var read: [UInt8] = []

    init(_ arguments: String...) throws {
        // Built into the folder in which this very program is.
        let program = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.executableURL = program.deletingLastPathComponent().appendingPathComponent("JournalChild")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// The next line that it says, nil at its end; reading ends with the process, so it is not waited for in vain.
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

    /// Ends it as a loss of power would, and gives what it had still said.
    func kill() -> [String] {
        Glibc.kill(identifier, SIGKILL)
        process.waitUntilExit()
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }
}
