import Glibc
import JSON

/// The last lines of the audit log, newest first.
struct AuditTail: Sendable {
    /// The lines of one answer at most.
    static let linesLimit = 1_000
    /// The bytes that one answer reads at most.
    static let bytesLimit = 1_048_576

    /// The reason that the lines cannot be read.
    enum TailFault: Error {
        /// The log is a device or a pipe.
        case notAFile
        /// The file cannot be read, for a reason of the system.
        case unreadable(String)
    }

    private(set) var events: [JSON] = []
    /// The offset in the file before which older lines are; nil if there are none.
    private(set) var next: Int?

    /// Reads the last `limit` lines of a file, or those that end at or before an offset. Lines that are no JSON, such as
    /// one whose end was lost, are left out.
    init(of path: String, before end: Int?, limit: Int) throws(TailFault) {
        // A pipe without a writer must not block.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        let end = max(0, min(end ?? .max, Int(status.st_size)))
        let start = max(0, end - Self.bytesLimit)
        var bytes = [UInt8](repeating: 0, count: end - start)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, start + filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        take(bytes, at: start, limit: limit)
    }

    /// Returns the event of a line; nil if the line is no JSON.
    private static func event(_ line: ArraySlice<UInt8>) -> JSON? {
        do throws(JSONError) { return try JSON(parsing: Array(line)) } catch { return nil }
    }

    /// Takes the last lines of some bytes, which begin at an offset of the file.
    private mutating func take(_ bytes: [UInt8], at start: Int, limit: Int) {
        let newline = UInt8(ascii: "\n")
        var end = bytes.count
        while end > 0, events.count < limit {
            let before = bytes[..<(end - 1)].lastIndex(of: newline)
            // The first line may have begun before these bytes.
            guard before != nil || start == 0 else { break }
            let line = bytes[((before ?? -1) + 1)..<end]
            if let event = Self.event(line.last == newline ? line.dropLast() : line) { events.append(event) }
            end = before.map { $0 + 1 } ?? 0
        }
        // A line longer than the bytes of one answer is left out.
        let offset = end == bytes.count && start > 0 ? start : start + end
        next = offset > 0 && !bytes.isEmpty ? offset : nil
    }
}
