internal import Glibc
internal import StateStore

/// The write-ahead log as a file, through a second descriptor. It is synced without a write, grown ahead of its frames,
/// and rewritten after a failed sync. SQLite holds no lock on this file that closing it here could release.
struct LogFile: ~Copyable, Sendable {
    /// The bytes of one read.
    private static let chunkBytes = 1_024 * 1_024

    private let path: String
    private let descriptor: Int32

    init(_ folder: JournalDirectory, isWritten: Bool = true) throws(JournalFailure) {
        path = folder.writeAheadLog
        descriptor = unsafe open(path, (isWritten ? O_RDWR : O_RDONLY) | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(path) cannot be opened") }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Makes all written bytes durable.
    borrowing func sync() throws(JournalFailure) {
        guard fdatasync(descriptor) == 0 else { throw .unsynced(path, JournalFailure.words(errno)) }
    }

    /// The length in bytes.
    var length: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Appends zeros, which SQLite ignores. Returns the new length, or nil if there is no room. Precondition: no
    /// process writes to the log.
    borrowing func lengthen(by count: Int) -> Int? {
        let length = length
        let zeros = [UInt8](repeating: 0, count: count)
        let written = unsafe zeros.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, count, off_t(length)) }
        return written == count ? length + count : nil
    }

    /// Writes the log again as it is, and syncs it. After a failed sync the kernel marks unwritten pages as clean, and
    /// writes them only if they change again. A frame behind the extent, of a commit that was not acknowledged, is
    /// overwritten. Precondition: no process writes to the log.
    ///
    /// Returns false, and syncs nothing, if the log differs from `extent`: then the kernel has dropped pages that it
    /// could not write.
    borrowing func renew(_ extent: LogExtent) throws(JournalFailure) -> Bool {
        guard extent.frames > 0 else { return true }
        // The kernel reports a failed write-back once through each descriptor. This call takes an old report, so that
        // it does not fail the sync below.
        fdatasync(descriptor)
        var header = [UInt8](repeating: 0, count: LogFrames.headerBytes)
        guard try read(&header, at: 0) == header.count, let log = LogFrames.Header(header.span), log.salt == extent.salt
        else {
            return false
        }
        try write(header[...], at: 0)
        var checksum = log.checksum
        var chunk = [UInt8](repeating: 0, count: max(1, Self.chunkBytes / log.frameBytes) * log.frameBytes)
        var frame = 0
        while frame < extent.frames {
            let count = min(chunk.count / log.frameBytes, extent.frames - frame)
            guard try read(&chunk, at: log.offset(of: frame)) >= count * log.frameBytes else { return false }
            for place in 0..<count {
                let bytes = place * log.frameBytes..<(place + 1) * log.frameBytes
                guard log.take(chunk.span.extracting(bytes), &checksum) else { return false }
            }
            try write(chunk[..<(count * log.frameBytes)], at: log.offset(of: frame))
            frame += count
        }
        guard checksum == extent.checksum else { return false }
        if length > log.offset(of: frame) {
            try write(ArraySlice(repeating: 0, count: LogFrames.frameHeaderBytes), at: log.offset(of: frame))
        }
        try sync()
        return true
    }

    /// Returns the number of intact frames at the beginning, at most `limit`, or nil if the log has another salt.
    borrowing func intactFrames(ofSalt salt: UInt64, limit: Int) throws(JournalFailure) -> Int? {
        var header = [UInt8](repeating: 0, count: LogFrames.headerBytes)
        guard try read(&header, at: 0) == header.count, let log = LogFrames.Header(header.span), log.salt == salt else {
            return nil
        }
        var checksum = log.checksum
        var chunk = [UInt8](repeating: 0, count: max(1, Self.chunkBytes / log.frameBytes) * log.frameBytes)
        var frame = 0
        while frame < limit {
            let count = min(try read(&chunk, at: log.offset(of: frame)) / log.frameBytes, limit - frame)
            guard count > 0 else { break }
            for place in 0..<count {
                let bytes = place * log.frameBytes..<(place + 1) * log.frameBytes
                guard log.take(chunk.span.extracting(bytes), &checksum) else { return frame + place }
            }
            frame += count
        }
        return frame
    }

    /// Reads until the buffer is full or the file ends. Returns the number of bytes.
    private borrowing func read(_ buffer: inout [UInt8], at offset: Int) throws(JournalFailure) -> Int {
        var done = 0
        while done < buffer.count {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw JournalFailure(.cannotWrite, "\(path) cannot be read: \(JournalFailure.words(errno)).")
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    private borrowing func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(JournalFailure) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe pwrite(
                    descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw JournalFailure(.cannotWrite, "\(path) cannot be written: \(JournalFailure.words(errno)).")
            }
            done += count
        }
    }
}
