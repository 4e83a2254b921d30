internal import Compression
import Platform

/// Content that many answers on all loops share. The first answer in gzip computes and caches its gzip form, unless the
/// content came with one.
package final class SharedContent: Sendable {
    /// The uncompressed content.
    package let bytes: [UInt8]
    /// The Brotli form; nil if there is none.
    package let brotli: [UInt8]?
    /// True if the content came with a gzip form, which is sent whatever its type is.
    package let isPrecompressed: Bool
    private let compressed: Lock<[UInt8]?>

    /// Shares some content, with the compressed forms that it came with. A gzip form of other content is left out, and so
    /// is a form that is no smaller.
    package init(_ bytes: [UInt8], gzip: [UInt8]? = nil, brotli: [UInt8]? = nil) {
        self.bytes = bytes
        self.brotli = brotli.flatMap { $0.isEmpty || $0.count >= bytes.count ? nil : $0 }
        let own = gzip.flatMap { $0.count < bytes.count && Deflater.isGzip($0, of: bytes) ? $0 : nil }
        isPrecompressed = own != nil
        compressed = Lock(own)
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
