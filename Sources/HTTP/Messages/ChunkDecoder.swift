/// Takes the chunks of a body apart (RFC 9112, section 7.1), fed with bytes in any slices.
package struct ChunkDecoder {
    private enum State {
        /// Among the digits of a chunk's size.
        case size(Int, digits: Int)
        /// In an extension, which means nothing here, after so many bytes of it.
        case chunkExtension(Int, Int)
        /// The line of a size must end.
        case sizeEnd(Int)
        /// So many bytes of content are to come.
        case content(Int)
        /// The content must end in CR LF,
        case contentEnd
        /// of which the CR is there.
        case contentEndLine
        /// At the start of a trailer's line, or in its name,
        case trailer(lineBytes: Int)
        /// or in its value.
        case trailerValue
        /// A trailer's line must end.
        case trailerEnd(lineBytes: Int)
        case done
    }

    private var state = State.size(0, digits: 0)
    private var trailerBytes = 0
    private var extensionBytes = 0

    package init() {}

    /// Takes what there is of `bytes` from `position` on, which then stands after what was taken. Whether the body has ended.
    package mutating func decode(
        _ bytes: Span<UInt8>, _ position: inout Int, into body: inout [UInt8], _ limits: Limits
    ) throws(MessageFault) -> Bool {
        while position < bytes.count {
            if case .done = state { return true }
            if case .content(let left) = state {
                let count = min(left, bytes.count - position)
                guard body.count + count <= limits.bodyBytes else { throw Head.bodyTooLarge(limits) }
                body.reserveCapacity(body.count + count)
                for index in position..<position + count { body.append(bytes[index]) }
                position += count
                state = left == count ? .contentEnd : .content(left - count)
            } else {
                try take(bytes[position], body.count, limits)
                position += 1
            }
        }
        if case .done = state { return true }
        return false
    }

    private mutating func take(_ byte: UInt8, _ count: Int, _ limits: Limits) throws(MessageFault) {
        switch state {
        case .size(let size, let digits):
            if let value = Octet.hexValue(byte) {
                guard digits < 8 else { throw MessageFault(400, "a chunk's size has at most 8 digits") }
                state = .size(size << 4 | value, digits: digits + 1)
            } else {
                guard digits > 0 else { throw Self.badSize }
                guard count + size <= limits.bodyBytes else { throw Head.bodyTooLarge(limits) }
                switch byte {
                case Octet.carriageReturn: state = .sizeEnd(size)
                case UInt8(ascii: ";"): state = .chunkExtension(size, 0)
                default: throw Self.badSize
                }
            }
        case .chunkExtension(let size, let length):
            extensionBytes += 1
            guard extensionBytes <= limits.headerBytes else { throw MessageFault(400, "the extensions of chunks are too long") }
            if byte == Octet.carriageReturn {
                state = .sizeEnd(size)
            } else {
                guard Octet.isContent(byte) else { throw Self.badLine }
                state = .chunkExtension(size, length + 1)
            }
        case .sizeEnd(let size):
            guard byte == Octet.lineFeed else { throw Self.badLine }
            state = size == 0 ? .trailer(lineBytes: 0) : .content(size)
        case .content, .done: break
        case .contentEnd:
            guard byte == Octet.carriageReturn else { throw Self.badLine }
            state = .contentEndLine
        case .contentEndLine:
            guard byte == Octet.lineFeed else { throw Self.badLine }
            state = .size(0, digits: 0)
        case .trailer(let lineBytes):
            if byte == Octet.carriageReturn {
                guard lineBytes == 0 else { throw Self.badTrailer }
                state = .trailerEnd(lineBytes: 0)
            } else {
                try countTrailer(limits)
                if lineBytes > 0, byte == UInt8(ascii: ":") {
                    state = .trailerValue
                } else {
                    guard Octet.isToken(byte) else { throw Self.badTrailer }
                    state = .trailer(lineBytes: lineBytes + 1)
                }
            }
        case .trailerValue:
            if byte == Octet.carriageReturn {
                state = .trailerEnd(lineBytes: 1)
            } else {
                try countTrailer(limits)
                guard Octet.isContent(byte) else { throw Self.badLine }
            }
        case .trailerEnd(let lineBytes):
            guard byte == Octet.lineFeed else { throw Self.badLine }
            state = lineBytes == 0 ? .done : .trailer(lineBytes: 0)
        }
    }

    private mutating func countTrailer(_ limits: Limits) throws(MessageFault) {
        trailerBytes += 1
        guard trailerBytes <= limits.headerBytes else {
            throw MessageFault(431, "the trailers are larger than \(limits.headerBytes) bytes")
        }
    }

    private static let badTrailer = MessageFault(400, "a trailer is a name, a colon right after it, and a value")
    private static let badSize = MessageFault(400, "a chunk begins with its size in hexadecimal digits, and nothing beside them")
    private static let badLine = MessageFault(400, "the lines of a chunk must end in CR LF")
}
