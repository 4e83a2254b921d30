import Glibc
import StateStore

/// What a command writes: to standard output, or about what went wrong to standard error.
enum Output {
    /// A line on standard output.
    static func say(_ text: String) {
        // Where it fails there is nobody left to be told.
        _ = write(Array("\(text)\n".utf8), to: STDOUT_FILENO)
    }

    /// A line on standard error.
    static func complain(_ text: String) {
        _ = write(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes all of some bytes; whether that could be done.
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

/// Lines on their way to standard output, many at once.
struct OutputLines {
    private var bytes: [UInt8] = []

    /// Adds a line.
    mutating func add(_ line: [UInt8]) throws(JournalFailure) {
        bytes += line
        if line.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        if bytes.count > 64 * 1_024 { try flush() }
    }

    /// Writes what has not been written yet.
    mutating func flush() throws(JournalFailure) {
        guard Output.write(bytes, to: STDOUT_FILENO) else {
            throw JournalFailure(.cannotWrite, "cannot write to standard output: \(String(cString: strerror(errno)))")
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
