internal import JSON

/// The range of a value in a document, to extract it byte for byte.
struct JSONSlice: JSONReadable {
    let bytes: Range<Int>

    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        try reader.skip()
        // Includes the whitespace that follows, which belongs to no other value.
        bytes = start..<reader.offset
    }

    /// The bytes of the value. Precondition: `document` is the one that was read.
    func taken(from document: [UInt8]) -> [UInt8] {
        taken(from: document.span)
    }

    /// The same for a part of a document.
    func taken(from document: Span<UInt8>) -> [UInt8] {
        unsafe document.extracting(bytes).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// The same, nil for `null`.
    func takenUnlessNull(from document: Span<UInt8>) -> [UInt8]? {
        bytes.count >= 4 && document[bytes.lowerBound] == UInt8(ascii: "n") ? nil : taken(from: document)
    }
}
