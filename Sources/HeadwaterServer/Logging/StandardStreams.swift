import Glibc
import StateStore

/// Standard output for results, and standard error for faults.
enum StandardStreams {
    /// Writes a line to standard output.
    static func print(_ text: String) {
        // A failure is ignored, because there is no stream left to report it.
        _ = write(Array("\(text)\n".utf8), to: STDOUT_FILENO)
    }

    /// Writes a line to standard error.
    static func printError(_ text: String) {
        _ = write(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes all bytes; returns false on failure.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count < 0, errno != EINTR { return false }
                written += max(0, count)
            }
            return true
        }
    }
}

/// A buffer of lines for standard output.
struct OutputLines {
    private var bytes: [UInt8] = []

    /// Appends a line, and flushes a buffer above 64 KiB.
    mutating func add(_ line: [UInt8]) throws(JournalFailure) {
        bytes += line
        if line.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        if bytes.count > 64 * 1_024 { try flush() }
    }

    /// Writes the buffered lines.
    mutating func flush() throws(JournalFailure) {
        guard StandardStreams.write(bytes, to: STDOUT_FILENO) else {
            throw JournalFailure(.cannotWrite, "cannot write to standard output: \(String(cString: strerror(errno)))")
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
