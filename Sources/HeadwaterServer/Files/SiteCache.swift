import HTTP

/// The files of the site that are kept in memory, within a number of bytes.
struct SiteCache {
    /// The bytes that an entry takes besides its content and its name.
    private static let entryBytes = 512

    private struct KeptFile {
        let file: SiteFile
        var used: UInt64
    }

    private let bytesLimit: Int
    private var entries: [String: KeptFile] = [:]
    private var clock: UInt64 = 0
    private(set) var bytes = 0

    init(bytesLimit: Int) {
        self.bytesLimit = bytesLimit
    }

    /// Returns a file if its identity is still the same.
    mutating func file(_ path: String, _ identity: SiteFile.Identity) -> SiteFile? {
        guard let entry = entries[path] else { return nil }
        guard entry.file.identity == identity, entry.file.isSettled else {
            remove(path)
            return nil
        }
        clock += 1
        entries[path]?.used = clock
        return entry.file
    }

    /// Keeps a file, and lets go of those that were not used for longest. Costs O(n) for each of them.
    mutating func keep(_ file: SiteFile, _ path: String) {
        remove(path)
        guard file.isSettled, Self.cost(path, file) <= bytesLimit else { return }
        clock += 1
        entries[path] = KeptFile(file: file, used: clock)
        bytes += Self.cost(path, file)
        while bytes > bytesLimit, let oldest = entries.min(by: { $0.value.used < $1.value.used }) { remove(oldest.key) }
    }

    mutating func remove(_ path: String) {
        guard let entry = entries.removeValue(forKey: path) else { return }
        bytes -= Self.cost(path, entry.file)
    }

    private static func cost(_ path: String, _ file: SiteFile) -> Int {
        // The file, and at most as much for its gzip form.
        2 * file.asset.content.bytes.count + path.utf8.count + entryBytes
    }
}
