/// One stream: the pieces that one connection sends.
public protocol StreamSource: AnyObject {
    /// Returns the next piece after those that the connection has taken, or nil if there is none just now.
    func next() -> Piece?
    /// Ends the stream: it was ended, or its connection closed.
    func left()
}

/// The wait of one request.
public protocol Waiter: AnyObject {
    /// Answers the request: its time is over, or its sender sends nothing more.
    func waited()
    /// Ends the wait of a request that cannot be answered, because its connection closed.
    func left()
}

/// A part of a stream, framed as a chunk once for however many connections (RFC 9112, section 7.1).
public struct Piece: Sendable {
    let bytes: [UInt8]
    /// The part of it that is the content.
    let content: Range<Int>
    /// True if the piece brings its reader up to date, so that nothing follows before there is news.
    let isNewest: Bool

    /// Frames some content.
    public init(_ content: [UInt8], isNewest: Bool = false) {
        self.isNewest = isNewest
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count + 12)
        bytes.append(contentsOf: String(content.count, radix: 16).utf8)
        bytes.append(Octet.carriageReturn)
        bytes.append(Octet.lineFeed)
        let start = bytes.count
        bytes.append(contentsOf: content)
        self.content = start..<bytes.count
        bytes.append(Octet.carriageReturn)
        bytes.append(Octet.lineFeed)
        self.bytes = bytes
    }

    /// The number of bytes.
    public var count: Int { bytes.count }
}
