internal import Glibc
internal import StateStore

/// The pages of a database with its log on top, read without SQLite. No damage of one page makes another unreadable.
///
/// The log counts up to its last whole transaction, and up to the sync mark also behind damage: the sums of the rows
/// decide then. While a server runs, the caller holds a read transaction, so that no page is overwritten that the log
/// does not have too.
final class SalvagedPages {
    private static let defaultPageBytes = 4_096
    /// The bytes of the header of the database, on its first page.
    static let headerBytes = 100

    let pageBytes: Int
    /// The number of pages.
    let count: Int
    /// The pages on the list of unused pages. Empty if the list itself is damaged.
    private(set) var free: Set<Int> = []
    /// The frame of the log that is damaged, and the number of synced frames; nil if none is.
    let damagedFrame: (number: Int, synced: Int)?
    private let database: Int32
    private let log: Int32
    /// The frames of each page, oldest first.
    private let frames: [Int: [Int]]
    private let intactFrames: Int

    init(_ folder: JournalDirectory) throws(JournalFailure) {
        database = unsafe open(folder.database, O_RDONLY | O_CLOEXEC)
        guard database >= 0 else { throw .unusable("\(folder.database) cannot be opened") }
        log = unsafe open(folder.writeAheadLog, O_RDONLY | O_CLOEXEC)
        let size = Int(lseek(database, 0, SEEK_END))
        let header = Self.read(database, at: 0, count: Self.headerBytes)
        let named = header.count < Self.headerBytes ? 0 : Self.number(header, 16, 2)
        let isSize = (512...32_768).contains(named) && named & (named - 1) == 0
        pageBytes = isSize ? named : named == 1 ? 65_536 : Self.defaultPageBytes
        let found = Self.readLog(log, pageBytes, SyncMark.read(in: folder))
        frames = found.frames
        intactFrames = found.intact
        damagedFrame = found.intact < found.synced ? (found.intact + 1, found.synced) : nil
        count = max(found.pages ?? (size + pageBytes - 1) / pageBytes, damagedFrame == nil ? 0 : frames.keys.max() ?? 0)
        free = readFreeList()
    }

    deinit {
        Glibc.close(database)
        if log >= 0 { Glibc.close(log) }
    }

    /// The images of a page: the newest, and the one before if the newest is behind damage of the log.
    func images(of page: Int) -> [[UInt8]] {
        let frames = frames[page] ?? []
        var images: [[UInt8]] = []
        for frame in frames.reversed() {
            images.append(Self.read(log, at: offset(of: frame), count: pageBytes))
            if frame < intactFrames { return images }
        }
        images.append(Self.read(database, at: (page - 1) * pageBytes, count: pageBytes))
        return images.filter { $0.count == pageBytes }
    }

    private func offset(of frame: Int) -> Int {
        LogFrames.headerBytes + frame * (LogFrames.frameHeaderBytes + pageBytes) + LogFrames.frameHeaderBytes
    }

    // MARK: The log

    private struct FoundLog {
        var frames: [Int: [Int]] = [:]
        var intact = 0
        var synced = 0
        /// The size of the database after the last transaction, in pages.
        var pages: Int?
    }

    private static func readLog(_ log: Int32, _ pageBytes: Int, _ mark: SyncMark.SyncedPart?) -> FoundLog {
        var found = FoundLog()
        let bytes = log < 0 ? [] : read(log, at: 0, count: LogFrames.headerBytes)
        guard bytes.count == LogFrames.headerBytes else { return found }
        let header = LogFrames.Header(bytes.span)
        guard let salt = header?.salt ?? mark?.salt, header.map({ $0.pageBytes == pageBytes }) ?? true else {
            return found
        }
        found.synced = mark.map { $0.salt == salt ? $0.frames : 0 } ?? 0
        let frameBytes = LogFrames.frameHeaderBytes + pageBytes
        var pages: [Int] = []
        var checksum = header?.checksum
        var end = 0
        while true {
            let frame = read(log, at: LogFrames.headerBytes + pages.count * frameBytes, count: frameBytes)
            guard frame.count == frameBytes else { break }
            if var sum = checksum, let header, header.take(frame.span, &sum) {
                checksum = sum
                found.intact = pages.count + 1
                if LogFrames.isCommit(frame.span) {
                    end = pages.count + 1
                    found.pages = number(frame, 4, 4)
                }
            } else {
                checksum = nil
                guard pages.count < found.synced else { break }
            }
            pages.append(number(frame, 0, 4))
        }
        for (frame, page) in pages.prefix(max(end, found.synced)).enumerated() where page > 0 {
            found.frames[page, default: []].append(frame)
        }
        return found
    }

    // MARK: The list of unused pages

    private func readFreeList() -> Set<Int> {
        guard let first = images(of: 1).first else { return [] }
        let total = Self.number(first, 36, 4)
        var trunk = Self.number(first, 32, 4)
        var free: Set<Int> = []
        while trunk != 0 {
            guard (2...max(2, count)).contains(trunk), free.insert(trunk).inserted, let image = images(of: trunk).first
            else { return [] }
            let leaves = Self.number(image, 4, 4)
            guard leaves <= pageBytes / 4 - 2 else { return [] }
            for place in 0..<leaves {
                let leaf = Self.number(image, 8 + 4 * place, 4)
                guard (2...max(2, count)).contains(leaf), free.insert(leaf).inserted else { return [] }
            }
            trunk = Self.number(image, 0, 4)
        }
        return free.count == total ? free : []
    }

    // MARK: Bytes

    /// Reads up to `count` bytes. A part of the file that the disk cannot read is missing.
    private static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe pread(descriptor, bytes.baseAddress.map { unsafe $0 + done }, count - done, off_t(offset + done))
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            done += more
        }
        return Array(bytes.prefix(done))
    }

    /// A big-endian number.
    static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
        guard place >= 0, place + count <= bytes.count else { return 0 }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }
}
