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
