package import JSON

/// The value of a view as JSON, encoded once for all readers.
public struct ViewValue: Sendable, Equatable {
    /// The bytes of the whole value.
    public let bytes: [UInt8]

    /// A value of these bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The number of bytes of the whole value, in O(1).
    public var size: Int { bytes.count }

    /// Calls `body` with each piece of the value, in order. The pieces together are the bytes.
    package func forEachPiece(_ body: ([UInt8]) -> Void) {
        body(bytes)
    }

    /// The pieces of the value, in order.
    package var pieces: [[UInt8]] { [bytes] }

    /// The keyed digest of the value. It is the same for the same value, after a restart too.
    package func digest(_ key: DigestKey) -> Digest { Digest(bytes, key) }

    /// Returns the patch that turns an earlier value into this one, with its paths below `path`. Returns nil unless
    /// both are versions of one list and its edits since are remembered: then compare the trees, or send the whole.
    package func patch(from base: ViewValue, at path: JSONPointer = JSONPointer()) -> JSONPatch.Builder? { nil }
}
