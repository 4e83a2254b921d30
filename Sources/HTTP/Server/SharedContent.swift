internal import Compression
import Ground

/// Content that many answers of all loops share, with its gzip form, which the first answer that needs it makes.
public final class SharedContent: Sendable {
    /// The content as it is.
    public let bytes: [UInt8]
    private let compressed = Lock<[UInt8]?>(nil)

    /// Shares some content.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Large content: to compress it takes a loop longer than an answer may.
    private static let largeBytes = 65_536

    /// True if the gzip form is there.
    public var hasGzip: Bool { compressed.with { $0 != nil } }

    /// Makes the gzip form of large content on the calling thread, if the type is worth it, so that no loop has to.
    public func prepareGzip(as type: StaticString) {
        guard bytes.count > Self.largeBytes, ContentCoding.isWorthwhile(type) else { return }
        _ = gzip(by: Deflater())
    }

    /// Returns the content in gzip.
    func gzip(by deflater: Deflater) -> [UInt8] {
        compressed.with { compressed in
            if let compressed { return compressed }
            let made = deflater.gzip(bytes)
            compressed = made
            return made
        }
    }
}
