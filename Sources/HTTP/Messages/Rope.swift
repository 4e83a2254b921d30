/// Bytes in parts that many owners share. Nothing joins the parts: a socket writes them from where they are.
package struct Rope: Sendable {
    /// The first part,
    let first: [UInt8]
    /// and those after it. Bytes in one part need no list of parts.
    let rest: [[UInt8]]
    /// The number of bytes.
    package let count: Int

    /// No bytes.
    static let empty = Rope([UInt8]())

    /// Bytes in one part.
    package init(_ bytes: [UInt8]) {
        first = bytes
        rest = []
        count = bytes.count
    }

    /// Bytes in parts.
    package init(_ parts: [[UInt8]]) {
        self.init(parts.first ?? [], Array(parts.dropFirst()))
    }

    /// A first part, and those after it.
    init(_ first: [UInt8], _ rest: [[UInt8]]) {
        self.first = first
        self.rest = rest
        count = rest.reduce(first.count) { $0 + $1.count }
    }

    /// The number of parts.
    @inline(__always)
    var partCount: Int { rest.count + 1 }

    /// Returns a part.
    @inline(__always)
    func part(_ index: Int) -> [UInt8] { index == 0 ? first : rest[index - 1] }

    /// The parts in their order.
    var parts: [[UInt8]] { [first] + rest }

    /// The bytes in one array, without a copy if they are in one.
    package var joined: [UInt8] { rest.isEmpty ? first : Array(parts.joined()) }
}

/// A writer of bytes in parts: small ones are copied, large ones stay where they are.
package struct RopeWriter {
    /// The bytes from which on a part stays where it is.
    private static let sharedBytesAtLeast = 4 * 1_024
    /// The bytes of a part that is put together.
    private static let joinedBytes = 64 * 1_024

    private var parts: [[UInt8]] = []
    /// The bytes after the last part.
    package var text: [UInt8] = []

    /// A writer without bytes.
    package init() {}

    /// Appends bytes.
    package mutating func append(_ bytes: [UInt8]) {
        let isShared = bytes.count >= Self.sharedBytesAtLeast
        if !isShared { text.append(contentsOf: bytes) }
        if !text.isEmpty, isShared || text.count >= Self.joinedBytes {
            parts.append(text)
            text = []
        }
        if isShared { parts.append(bytes) }
    }

    /// Appends the parts of a rope.
    package mutating func append(_ bytes: Rope) {
        for index in 0..<bytes.partCount { append(bytes.part(index)) }
    }

    /// The bytes.
    package var rope: Rope { parts.isEmpty ? Rope(text) : Rope(text.isEmpty ? parts : parts + [text]) }
}
