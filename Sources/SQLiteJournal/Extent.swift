internal import JSON

/// Where a value stands in a document, so that it can be taken out as it was written.
struct Extent: JSONReadable {
    let bytes: Range<Int>

    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        try reader.skip()
        // With the whitespace that follows, which is part of no other value.
        bytes = start..<reader.offset
    }

    /// The value, out of the document that it was found in.
    func taken(from document: [UInt8]) -> [UInt8] {
        taken(from: document.span)
    }

    /// The same, where the document is part of another.
    func taken(from document: Span<UInt8>) -> [UInt8] {
        unsafe document.extracting(bytes).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// The same, nil for `null`.
    func takenUnlessNull(from document: Span<UInt8>) -> [UInt8]? {
        bytes.count >= 4 && document[bytes.lowerBound] == UInt8(ascii: "n") ? nil : taken(from: document)
    }
}
