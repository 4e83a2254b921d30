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
