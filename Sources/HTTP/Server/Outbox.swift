import Glibc

/// A growable buffer of bytes to send. Its memory is reused.
package struct Outbox: ~Copyable {
    private var room: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// Creates an outbox without memory.
    init() {
        room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Creates an outbox with room for `capacity` bytes.
    init(capacity: Int) {
        room = .allocate(byteCount: capacity, alignment: 16)
    }

    /// Creates an outbox that takes over the memory `room`.
    init(in room: UnsafeMutableRawBufferPointer) {
        self.room = room
    }

    /// Returns its memory to the caller and ends the outbox.
    consuming func handOver() -> UnsafeMutableRawBufferPointer {
        let room = room
        discard self
        return room
    }

    /// Creates an outbox with a copy of `bytes` and no further room.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(capacity: bytes.count)
        append(bytes)
    }

    deinit {
        if room.baseAddress != nil { room.deallocate() }
    }

    /// True if the outbox holds no bytes.
    @inline(__always)
    var isEmpty: Bool { count == 0 }

    /// The number of bytes that the memory can hold.
    @inline(__always)
    var capacity: Int { room.count }

    /// The bytes. They are valid until more bytes are added.
    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[..<count]) }

    /// Takes out all bytes together with their memory.
    @inline(__always)
    mutating func take() -> Outbox {
        var taken = Outbox()
        swap(&self, &taken)
        return taken
    }

    /// Removes all bytes and keeps the memory.
    @inline(__always)
    mutating func removeAll() { count = 0 }

    /// Returns the room for more bytes, which the caller has to write.
    @inline(__always)
    private mutating func place(for more: Int) -> UnsafeMutableRawPointer {
        if room.count - count < more { grow(more) }
        defer { count += more }
        return room.baseAddress! + count
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(room.count * 2, count + more), alignment: 16)
        larger.copyMemory(from: bytes)
        room.deallocate()
        room = larger
    }

    // MARK: Adding

    /// Adds bytes.
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        place(for: bytes.count).copyMemory(from: start, byteCount: bytes.count)
    }

    /// Adds bytes.
    @inline(__always)
    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Adds bytes.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Adds the text of a literal.
    @inline(__always)
    package mutating func append(_ text: StaticString) {
        place(for: text.utf8CodeUnitCount).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    }

    /// Adds a text.
    package mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Adds a number that is not negative.
    package mutating func append(_ number: Int) {
        var digits = 1
        var bound = 10
        while number >= bound, digits < 19 {
            digits += 1
            bound = bound &* 10
        }
        let start = place(for: digits)
        var left = UInt(bitPattern: number)
        while digits > 0 {
            digits &-= 1
            let (rest, digit) = left.quotientAndRemainder(dividingBy: 10)
            start.storeBytes(
                of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit), toByteOffset: digits, as: UInt8.self)
            left = rest
        }
    }

    /// Adds a number in hexadecimal digits.
    mutating func append(hexadecimal number: UInt64) {
        var digits = max(1, (67 - number.leadingZeroBitCount) / 4)
        let start = place(for: digits)
        var left = number
        while digits > 0 {
            digits &-= 1
            let digit = UInt8(truncatingIfNeeded: left & 0xF)
            start.storeBytes(
                of: digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10), toByteOffset: digits,
                as: UInt8.self)
            left >>= 4
        }
    }
}
