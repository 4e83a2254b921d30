import Glibc

/// The bytes from a descriptor. Each wait has a deadline.
struct Incoming {
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Waits for more bytes; returns false at the end.
    mutating func more(_ deadline: Deadline) throws -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&entry, 1, deadline.millisecondsLeft)
            if count > 0 { break }
            guard count < 0, errno == EINTR else {
                throw Trouble("nothing came in time; so far: \(String(decoding: bytes.suffix(1_000), as: UTF8.self))")
            }
        }
        var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno != ECONNRESET { throw Trouble("cannot read: error \(errno)") }
        guard count > 0 else { return false }
        bytes += buffer[0..<count]
        return true
    }

    /// Reads up to and including `text`; nil if the end comes first.
    mutating func upTo(_ text: String, _ deadline: Deadline) throws -> String? {
        let mark = Array(text.utf8)
        while true {
            if let start = firstIndex(of: mark) {
                defer { bytes.removeFirst(start + mark.count) }
                return String(decoding: bytes[0..<start + mark.count], as: UTF8.self)
            }
            guard try more(deadline) else { return nil }
        }
    }

    private func firstIndex(of mark: [UInt8]) -> Int? {
        guard bytes.count >= mark.count else { return nil }
        return (0...bytes.count - mark.count).first {
            bytes[$0] == mark[0] && bytes[$0..<$0 + mark.count].elementsEqual(mark)
        }
    }

    /// Reads exactly `count` bytes.
    mutating func take(_ count: Int, _ deadline: Deadline) throws -> [UInt8] {
        while bytes.count < count {
            guard try more(deadline) else { throw Trouble("the end came before \(count) bytes had") }
        }
        defer { bytes.removeFirst(count) }
        return Array(bytes[0..<count])
    }

    /// Reads up to the end.
    mutating func rest(_ deadline: Deadline) throws -> String {
        while try more(deadline) {}
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self)
    }

    var isEmpty: Bool { bytes.isEmpty }
}

/// The end of a wait, late enough for a loaded machine.
struct Deadline {
    private let end: Int64

    init(seconds: Int = 30) {
        end = Self.now + Int64(seconds) * 1_000
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    var millisecondsLeft: Int32 { Int32(max(0, end - Self.now)) }
}

/// A failure of the test's own machinery.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
