/// An incremental decoder of a chunked body (RFC 9112, section 7.1). The bytes come in slices of any length.
package struct ChunkDecoder {
    /// The part of the body that comes next.
    private enum Part {
        /// A digit of a chunk size, or its end.
        case size(Int, digits: Int)
        /// A chunk extension, which the decoder skips. The second value counts its bytes.
        case chunkExtension(Int, Int)
        /// The line feed after a chunk size.
        case sizeEnd(Int)
        /// The given number of content bytes.
        case content(Int)
        /// The carriage return after the content.
        case contentEnd
        /// The line feed after the content.
        case contentEndLine
        /// The start or the name of a trailer line.
        case trailer(lineBytes: Int)
        /// The value of a trailer line.
        case trailerValue
        /// The line feed after a trailer line.
        case trailerEnd(lineBytes: Int)
        case done
    }

    private var part = Part.size(0, digits: 0)
    private var trailerBytes = 0
    private var extensionBytes = 0

    package init() {}

    /// Decodes the bytes from `position` on, moves `position` past them, and returns true at the end of the body.
    package mutating func decode(
        _ bytes: Span<UInt8>, _ position: inout Int, into body: inout [UInt8], _ limits: ServerLimits
    ) throws(MessageFault) -> Bool {
        while position < bytes.count {
            if case .done = part { return true }
            if case .content(let left) = part {
                let count = min(left, bytes.count - position)
                guard body.count + count <= limits.bodyBytes else { throw RequestHead.bodyTooLarge(limits) }
                body.reserveCapacity(body.count + count)
                for index in position..<position + count { body.append(bytes[index]) }
                position += count
                part = left == count ? .contentEnd : .content(left - count)
            } else {
                try take(bytes[position], body.count, limits)
                position += 1
            }
        }
        if case .done = part { return true }
        return false
    }

    private mutating func take(_ byte: UInt8, _ count: Int, _ limits: ServerLimits) throws(MessageFault) {
        switch part {
        case .size(let size, let digits):
            if let value = Octet.hexValue(byte) {
                guard digits < 8 else { throw MessageFault(400, "a chunk's size has at most 8 digits") }
                part = .size(size << 4 | value, digits: digits + 1)
            } else {
                guard digits > 0 else { throw Self.badSize }
                guard count + size <= limits.bodyBytes else { throw RequestHead.bodyTooLarge(limits) }
                switch byte {
                case Octet.carriageReturn: part = .sizeEnd(size)
                case UInt8(ascii: ";"): part = .chunkExtension(size, 0)
                default: throw Self.badSize
                }
            }
        case .chunkExtension(let size, let length):
            extensionBytes += 1
            guard extensionBytes <= limits.headerBytes else {
                throw MessageFault(400, "the chunk extensions are too long")
            }
            if byte == Octet.carriageReturn {
                part = .sizeEnd(size)
            } else {
                guard Octet.isContent(byte) else { throw Self.badLine }
                part = .chunkExtension(size, length + 1)
            }
        case .sizeEnd(let size):
            guard byte == Octet.lineFeed else { throw Self.badLine }
            part = size == 0 ? .trailer(lineBytes: 0) : .content(size)
        case .content, .done: break
        case .contentEnd:
            guard byte == Octet.carriageReturn else { throw Self.badLine }
            part = .contentEndLine
        case .contentEndLine:
            guard byte == Octet.lineFeed else { throw Self.badLine }
            part = .size(0, digits: 0)
        case .trailer(let lineBytes):
            if byte == Octet.carriageReturn {
                guard lineBytes == 0 else { throw Self.badTrailer }
                part = .trailerEnd(lineBytes: 0)
            } else {
                try countTrailer(limits)
                if lineBytes > 0, byte == UInt8(ascii: ":") {
                    part = .trailerValue
                } else {
                    guard Octet.isToken(byte) else { throw Self.badTrailer }
                    part = .trailer(lineBytes: lineBytes + 1)
                }
            }
        case .trailerValue:
            if byte == Octet.carriageReturn {
                part = .trailerEnd(lineBytes: 1)
            } else {
                try countTrailer(limits)
                guard Octet.isContent(byte) else { throw Self.badLine }
            }
        case .trailerEnd(let lineBytes):
            guard byte == Octet.lineFeed else { throw Self.badLine }
            part = lineBytes == 0 ? .done : .trailer(lineBytes: 0)
        }
    }

    private mutating func countTrailer(_ limits: ServerLimits) throws(MessageFault) {
        trailerBytes += 1
        guard trailerBytes <= limits.headerBytes else {
            throw MessageFault(431, "the trailers are larger than \(limits.headerBytes) bytes")
        }
    }

    private static let badTrailer = MessageFault(400, "a trailer is a name, a colon right after it, and a value")
    private static let badSize = MessageFault(
        400, "a chunk begins with its size in hexadecimal digits only")
    private static let badLine = MessageFault(400, "the lines of a chunk must end in CR LF")
}
