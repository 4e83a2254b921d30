internal import Compression

/// A part of a stream, framed as a chunk once for all connections (RFC 9112, section 7.1), and compressed once for
/// those with gzip. Pieces stay on their loop.
package final class Piece {
    /// The content framed as a chunk.
    let chunk: Rope
    /// The number of the content's bytes.
    private let contentCount: Int
    /// True if the piece brings its reader up to date: no piece follows before the next change.
    let isNewest: Bool
    private var compressed: Compressed?
    /// The compression of large content; nil for small content.
    private(set) lazy var compression =
        contentCount < SlicedCompression.bytesAtLeast ? nil : SlicedCompression(content)
    /// The parts between which a mark goes, once a stream with a mark has sent the piece.
    private var markedParts: [Piece]?

    /// The compressed content for gzip streams.
    struct Compressed {
        let frame: DeflatedFrame
        /// The bytes of the frame, framed as a chunk.
        let chunk: Rope
    }

    /// The maximum size of content that is stored without compression, such as `retry` and heartbeats.
    static let storedBytesLimit = 64

    /// The first bytes of every gzip member.
    static var gzipHeader: Piece { Piece(GzipStream.header) }

    /// Frames `content` as a chunk.
    package convenience init(_ content: [UInt8], isNewest: Bool = false) {
        self.init(Rope(content), isNewest: isNewest)
    }

    /// Frames content in parts without copying them.
    package init(_ content: Rope, isNewest: Bool = false) {
        self.isNewest = isNewest
        contentCount = content.count
        chunk = Self.framed(content)
    }

    /// The number of bytes.
    package var count: Int { chunk.count }

    /// The content without its frame.
    var content: Rope {
        // Large content has parts of its own between the size and the end.
        guard chunk.rest.isEmpty else { return Rope(Array(chunk.rest.dropLast())) }
        let end = chunk.count - 2
        return Rope(Array(chunk.first[end - contentCount..<end]))
    }

    /// Frames content as a chunk: small content in one array, large content in its own parts.
    private static func framed(_ content: Rope) -> Rope {
        var head: [UInt8] = []
        let isSmall = content.count < SendQueue.sharedBytesAtLeast
        head.reserveCapacity(isSmall ? content.count + 12 : 12)
        head.append(contentsOf: String(content.count, radix: 16).utf8)
        head.append(Octet.carriageReturn)
        head.append(Octet.lineFeed)
        guard isSmall else { return Rope(head, content.parts + [[Octet.carriageReturn, Octet.lineFeed]]) }
        for index in 0..<content.partCount { head.append(contentsOf: content.part(index)) }
        head.append(Octet.carriageReturn)
        head.append(Octet.lineFeed)
        return Rope(head)
    }

    /// The parts of events, each but the last of which ends with an id: `id: 7` and `\ndata: …`. All streams share them,
    /// and each puts its mark between them.
    var partsAtIDs: [Piece] {
        if let markedParts { return markedParts }
        let parts = Self.split(content.joined)
        let made = parts.count == 1 ? [self] : parts.map { Piece(Array($0)) }
        // A piece that is its own part would never go.
        if made.count > 1 { markedParts = made }
        return made
    }

    /// Splits events after each id. A line of data begins with `data`, so it is not taken for an id.
    private static func split(_ events: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        var line = 0
        while let end = events[line...].firstIndex(of: Octet.lineFeed) {
            if events[line..<end].starts(with: EventText.idStart) {
                parts.append(events[start..<end])
                start = end
            }
            line = end + 1
        }
        return parts + [events[start...]]
    }

    /// Returns the compressed content for gzip streams. The first call compresses it.
    func compressed(by deflater: @autoclosure () -> Deflater) -> Compressed {
        if let compressed { return compressed }
        let content = content
        let frame =
            (1...Self.storedBytesLimit).contains(content.count)
            ? DeflatedFrame(storing: content.joined) : deflater().frame(content.parts)
        return take(frame)
    }

    /// True if the compressed content takes long to make.
    var isLongToCompress: Bool { compressed == nil && contentCount >= SlicedCompression.bytesAtLeast }

    /// Takes the compressed content.
    @discardableResult
    func take(_ frame: DeflatedFrame) -> Compressed {
        let made = Compressed(frame: frame, chunk: Self.framed(Rope(frame.bytes)))
        compressed = made
        compression = nil
        return made
    }
}
