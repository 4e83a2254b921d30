internal import CZlib

/// A compressor of the system's zlib, for one thread.
///
/// It keeps about 330 KiB: zlib's window and tables, and a buffer for its output. Every use resets it, so no output
/// depends on content that it compressed before.
@safe package final class Deflater {
    /// The greatest part of the output that zlib writes at once.
    private static let bufferSize = 64 << 10
    /// The greatest part of the input that zlib receives at once: its counter has 32 bits.
    private static let sliceSize = 1 << 30
    /// The size from which on content is compressed at zlib's fastest level, which takes a third of the time: the
    /// compressor runs on the thread of a loop.
    private static let largeSize = 256 << 10

    /// zlib's state points back to this address, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let buffer: UnsafeMutablePointer<UInt8>

    /// Creates a compressor with a window of 32 KiB.
    package init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe buffer = .allocate(capacity: Self.bufferSize)
        // A negative number of window bits asks for raw blocks without header and trailer.
        let result = unsafe deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "zlib has no memory, or another version than at build time: \(result)")
    }

    deinit {
        // The result only tells whether pending output is discarded.
        _ = unsafe deflateEnd(stream)
        unsafe stream.deallocate()
        unsafe buffer.deallocate()
    }

    /// The number of frames and members that were compressed.
    package private(set) var count = 0

    /// Returns the content as a frame for any number of gzip streams.
    package func frame(_ content: [UInt8]) -> DeflatedFrame { frame(CollectionOfOne(content)) }

    /// Returns content in parts as a frame for any number of gzip streams. `isOfLarge` is true for a part of large content.
    package func frame(_ parts: some Collection<[UInt8]>, isOfLarge: Bool = false) -> DeflatedFrame {
        let isEmpty = parts.allSatisfy(\.isEmpty)
        let bytes = isEmpty ? [] : blocks(of: parts, ending: Z_FULL_FLUSH, isOfLarge: isOfLarge)
        return DeflatedFrame(bytes: bytes, of: parts)
    }

    /// Returns the content as one gzip member, for a body.
    package func gzip(_ content: [UInt8]) -> [UInt8] { gzip(CollectionOfOne(content)) }

    /// Returns true if `gzip` ends with the checksum and the length of `content`, as its own gzip form does.
    package static func isGzip(_ gzip: [UInt8], of content: [UInt8]) -> Bool {
        CRC32(of: CollectionOfOne(content)).isTrailer(of: gzip)
    }

    /// Returns content in parts as one gzip member, for a body.
    package func gzip(_ parts: some Collection<[UInt8]>) -> [UInt8] {
        var member = GzipStream.header
        member.append(contentsOf: blocks(of: parts, ending: Z_FINISH))
        member.appendTrailer(checksum: CRC32(of: parts))
        return member
    }

    /// Returns the deflate blocks of the content (RFC 1951).
    private func blocks(
        of parts: some Collection<[UInt8]>, ending flush: Int32, isOfLarge: Bool = false
    ) -> [UInt8] {
        count += 1
        _ = unsafe deflateReset(stream)
        let size = parts.reduce(0) { $0 + $1.count }
        let level = isOfLarge || size > Self.largeSize ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION
        // Nothing is pending after a reset, so a change of level writes nothing.
        _ = unsafe deflateParams(stream, level, Z_DEFAULT_STRATEGY)
        var output: [UInt8] = []
        for part in parts where !part.isEmpty { take(part, Z_NO_FLUSH, &output) }
        take([], flush, &output)
        return output
    }

    /// Compresses bytes, and then flushes as `flush` says.
    private func take(_ content: [UInt8], _ flush: Int32, _ output: inout [UInt8]) {
        unsafe content.withUnsafeBufferPointer { content in
            // zlib only reads the input; its type lacks `const`.
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: content.baseAddress)
            var remaining = content.count
            repeat {
                let slice = min(remaining, Self.sliceSize)
                remaining -= slice
                unsafe stream.pointee.avail_in = UInt32(slice)
                // A full output buffer means that more may be pending, a partly filled one that nothing is.
                repeat {
                    unsafe stream.pointee.next_out = unsafe buffer
                    unsafe stream.pointee.avail_out = UInt32(Self.bufferSize)
                    let result = unsafe deflate(stream, flush)
                    precondition(result >= 0 || result == Z_BUF_ERROR, "zlib's state is damaged: \(result)")
                    let count = unsafe Self.bufferSize - Int(stream.pointee.avail_out)
                    unsafe output.append(contentsOf: UnsafeBufferPointer(start: buffer, count: count))
                } while unsafe stream.pointee.avail_out == 0
            } while remaining > 0
        }
    }
}
