/// What has something to send on streams, whenever there is news. One source may feed any number of connections.
public protocol StreamSource: AnyObject {
    /// What is to be sent next on a connection that has taken all before; nil where there is nothing just now.
    func next(for connection: Connection) -> Piece?
    /// A connection has gone, or the stream has ended.
    func left(_ connection: Connection)
}

/// What requests wait for.
public protocol Waiter: AnyObject {
    /// A request has waited for as long as it may, or its sender has gone.
    func waited(_ exchange: Exchange)
}

/// A part of a stream, framed as a chunk once for however many connections (RFC 9112, section 7.1).
public struct Piece: Sendable {
    let bytes: [UInt8]
    /// The part of it that is the content.
    let content: Range<Int>
    /// Whether it brings its reader up to the present, so that nothing can follow it before there is news.
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

    /// How many bytes it takes.
    public var count: Int { bytes.count }
}
