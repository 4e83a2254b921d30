internal import JSON

/// The range of a value in a document, to extract it byte for byte.
struct JSONSlice: JSONReadable {
    let bytes: Range<Int>

    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        try reader.skip()
        // The range includes the whitespace after the value.
        bytes = start..<reader.offset
    }

    /// The bytes of the value. Precondition: the slice was read from `document`.
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
