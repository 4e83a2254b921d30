internal import Compression
import Platform

/// Content that many answers on all loops share. The first answer in gzip computes and caches its gzip form.
package final class SharedContent: Sendable {
    /// The uncompressed content.
    package let bytes: [UInt8]
    private let compressed = Lock<[UInt8]?>(nil)

    /// Shares some content.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The size of large content, whose compression would delay a loop too long.
    private static let largeBytes = 65_536

    /// True if the gzip form is cached.
    package var hasGzip: Bool { compressed.with { $0 != nil } }

    /// Computes the gzip form of large content of a compressible type on the calling thread, so that no loop has to.
    package func prepareGzip(as type: StaticString) {
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
