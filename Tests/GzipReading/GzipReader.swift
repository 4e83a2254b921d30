import CZlib

/// A streaming reader of one gzip member, by zlib's inflate.
package final class GzipReader {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    /// All content so far.
    package private(set) var content: [UInt8] = []
    /// True after a valid trailer.
    package private(set) var isFinished = false
    /// False after bytes that are not gzip, or follow the trailer.
    package private(set) var isValid = true

    package init() {
        stream.initialize(to: z_stream())
        // 16 more window bits ask for gzip with a check of the trailer.
        isValid = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Reads more bytes of the member.
    package func read(_ bytes: [UInt8]) {
        var room = [UInt8](repeating: 0, count: 16 << 10)
        bytes.withUnsafeBufferPointer { bytes in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            stream.pointee.avail_in = UInt32(bytes.count)
            while isValid, stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0 {
                guard !isFinished else { return isValid = false }
                let (result, count) = room.withUnsafeMutableBufferPointer { room in
                    stream.pointee.next_out = room.baseAddress
                    stream.pointee.avail_out = UInt32(room.count)
                    let result = inflate(stream, Z_SYNC_FLUSH)
                    return (result, room.count - Int(stream.pointee.avail_out))
                }
                content += room[..<count]
                isFinished = result == Z_STREAM_END
                isValid = result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
                if isFinished, stream.pointee.avail_in == 0 { return }
            }
        }
    }
}
