import Glibc
import Ground
import HTTP
import JSON
import Platform
import StateStore

/// The directory of `--site`, whose files are served under `/`.
///
/// A loop looks at a file's `stat` only. If the file is in memory and has not changed, that is all. Otherwise another
/// thread reads the file and compresses it, so a slow disk or a large file does not delay the other requests of the loop.
final class Site: Sendable {
    /// The greatest file in bytes.
    static let fileBytesLimit = 16 << 20
    /// The bytes of the files that are kept in memory.
    static let cacheBytesLimit = 64 << 20

    /// The result of a search.
    enum Finding: Sendable {
        case file(SiteFile)
        /// A directory, whose page lies under the path with `/` at its end.
        case directory
        case nothing
        case tooLarge
    }

    private let directory: String
    /// The settings, and a number that grows with each change of them.
    private struct SettingsEdition {
        var settings: SiteSettings
        var number = 0
    }

    private let edition: Lock<SettingsEdition>
    /// True if pages reload after a change.
    private let isLive: Bool
    /// Files and directories that are not served although they lie in the directory: those of the server itself.
    private let excluded: [String]
    private let cache: Lock<SiteCache>
    private let reader: SiteReader
    private let clock: @Sendable () -> Timestamp

    /// Serves `directory`. Without threads a file is read where it is asked for.
    init(
        _ directory: String, excluding excluded: [String] = [], settings: SiteSettings = SiteSettings(),
        isLive: Bool = false,
        isThreaded: Bool = true,
        cacheBytes: Int = cacheBytesLimit, clock: @escaping @Sendable () -> Timestamp = { Timestamp.now }
    ) {
        self.clock = clock
        edition = Lock(SettingsEdition(settings: settings))
        self.isLive = isLive
        self.directory = directory
        self.excluded = excluded
        cache = Lock(SiteCache(bytesLimit: cacheBytes))
        reader = SiteReader(isThreaded: isThreaded)
    }

    /// The page of paths without a file, and the origins of the policy.
    var settings: SiteSettings { edition.with { $0.settings } }

    /// Reads the settings of the directory again. If they have a fault, those before stay.
    func readSettings() throws(CommandFault) {
        let read = try SiteSettings(of: directory)
        edition.with { edition in
            guard edition.settings != read else { return }
            edition.settings = read
            edition.number += 1
        }
    }

    /// Returns true if `directory` can be listed.
    static func isDirectory(_ directory: String) -> Bool {
        guard let handle = opendir(directory) else { return false }
        closedir(handle)
        return true
    }

    /// Returns a finding if the path leads to nothing, or to a file in memory that has not changed; else nil.
    func known(_ path: SitePath) -> Finding? {
        guard let status = status(path.file) else {
            cache.with { $0.remove(path.file) }
            return .nothing
        }
        let identity = SiteFile.Identity(
            status, gzip: self.status(path.file + Self.gzipEnding), brotli: self.status(path.file + Self.brotliEnding),
            settings: edition.with { $0.number })
        return cache.with { $0.file(path.file, identity) }.map { .file($0) }
    }

    private static let gzipEnding = ".gz"
    private static let brotliEnding = ".br"

    private func status(_ file: String) -> stat? {
        var status = stat()
        return stat("\(directory)/\(file)", &status) == 0 ? status : nil
    }

    /// Finds a file on another thread and calls `then` there.
    func find(_ path: SitePath, then: @escaping @Sendable (Finding) -> Void) {
        reader.run { [self] in
            if let known = known(path) { return then(known) }
            let finding = read(path)
            if case .file(let file) = finding { cache.with { $0.keep(file, path.file) } }
            then(finding)
        }
    }

    /// Runs a job on the thread that reads files.
    func onReader(_ job: @escaping @Sendable () -> Void) { reader.run(job) }

    /// The paths of the files below the directory, in their order. Hidden names are left out.
    func paths() -> [SitePath] {
        var found: [SitePath] = []
        var waiting: [[String]] = [[]]
        while let folder = waiting.popLast(), found.count < SiteManifest.filesLimit {
            guard let handle = opendir(([directory] + folder).joined(separator: "/")) else { continue }
            defer { closedir(handle) }
            var names: [String] = []
            while let entry = readdir(handle) {
                names.append(
                    withUnsafePointer(to: &entry.pointee.d_name) { place in
                        place.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                    })
            }
            for name in names.sorted() {
                guard let path = SitePath(folder + [name]) else { continue }
                var status = stat()
                guard lstat("\(directory)/\(path.file)", &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: waiting.append(folder + [name])
                case S_IFREG, S_IFLNK: found.append(path)
                default: break
                }
            }
        }
        return found.sorted { $0.file < $1.file }
    }

    /// Reads the file of a path, if it lies within the directory when all links are followed.
    private func read(_ path: SitePath) -> Finding {
        let now = clock()
        let edition = edition.with { $0 }
        let (status, opened) = opened(path.file)
        guard let status else { return .nothing }
        guard let opened else {
            if status.st_mode & S_IFMT == S_IFDIR { return path.isDirectory ? .nothing : .directory }
            return status.st_size > Self.fileBytesLimit ? .tooLarge : .nothing
        }
        var bytes = opened.bytes
        // A link is what it leads to, and a compressed form what it is a form of.
        guard !SiteFile.isDocument(path.file, bytes), !SiteFile.isDocument(opened.place, bytes) else { return .nothing }
        guard !isFormOfHidden(path.file) else { return .nothing }
        let isChanged = isLive && path.file.hasSuffix(".html")
        if isChanged { bytes += LivePage.tag.utf8 }
        let (gzipStatus, gzip) = self.opened(path.file + Self.gzipEnding)
        let (brotliStatus, brotli) = self.opened(path.file + Self.brotliEnding)
        // A gzip form says which content it is of; a Brotli form does not, so it must not be older.
        let isCurrent = brotliStatus.map { Self.modified($0) >= Self.modified(status) } ?? false
        let asset = SiteFile.asset(
            path.file, bytes, gzip: isChanged ? nil : gzip?.bytes,
            brotli: isCurrent && !isChanged ? brotli?.bytes : nil, edition.settings)
        asset.content.prepareGzip(as: asset.type)
        let identity = SiteFile.Identity(
            status, gzip: gzipStatus, brotli: brotliStatus, settings: edition.number)
        return .file(SiteFile(asset: asset, identity: identity, isSettled: identity.isSettled(at: now)))
    }

    /// Opens a file: returns its facts, and its path without links and its content if it is a file that may be served.
    private func opened(_ file: String) -> (status: stat?, opened: (place: String, bytes: [UInt8])?) {
        guard let place = resolved(file) else { return (nil, nil) }
        // The resolved path has no link. NONBLOCK, because to open a pipe would wait for its writer.
        let descriptor = open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return (nil, nil) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return (nil, nil) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.fileBytesLimit,
            let bytes = Self.content(of: descriptor, size: Int(status.st_size))
        else { return (status, nil) }
        return (status, (place, bytes))
    }

    private static func modified(_ status: stat) -> Int64 {
        Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    /// Returns true for the compressed form of a file that is never served.
    private func isFormOfHidden(_ file: String) -> Bool {
        guard let ending = [Self.gzipEnding, Self.brotliEnding].first(where: file.hasSuffix) else { return false }
        let base = String(file.dropLast(ending.utf8.count))
        guard status(base) != nil else { return false }
        guard resolved(base) != nil else { return true }
        guard let opened = opened(base).opened else { return false }
        return SiteFile.isDocument(base, opened.bytes) || SiteFile.isDocument(opened.place, opened.bytes)
    }

    /// Returns the path without links, or nil if it leaves the directory or leads to the server's own files.
    private func resolved(_ file: String) -> String? {
        guard let root = Self.real(directory), let place = Self.real("\(directory)/\(file)"),
            place.hasPrefix(root == "/" ? root : root + "/")
        else { return nil }
        // A link can lead to a hidden file.
        let own = place.dropFirst(root.utf8.count).split(separator: "/")
        guard !own.contains(where: { $0.hasPrefix(".") }), own != [Substring(SiteSettings.fileName)] else { return nil }
        for own in excluded {
            if let own = Self.real(own), place == own || place.hasPrefix(own + "/") { return nil }
        }
        return place
    }

    private static func real(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Returns at most `fileBytesLimit` bytes: the file may grow meanwhile.
    private static func content(of descriptor: Int32, size: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: min(size + 1, fileBytesLimit))
        var count = 0
        while true {
            if count == bytes.count {
                guard count < fileBytesLimit else { break }
                bytes += [UInt8](repeating: 0, count: min(count, fileBytesLimit - count))
            }
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            count += got
        }
        bytes.removeSubrange(count...)
        return bytes
    }
}

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
        2 * file.asset.content.bytes.count + (file.asset.content.brotli?.count ?? 0) + path.utf8.count + entryBytes
    }
}

/// The list of the site's files with their hashes, by which `/offline.js` keeps them.
struct SiteManifest: Sendable {
    /// The maximum number of files. A larger site is listed up to there, in the order of its paths.
    static let filesLimit = 10_000

    /// The hash of each file, by its path from `/` on.
    private(set) var files: [String: String] = [:]

    /// Adds a file.
    mutating func add(_ path: String, _ hash: String) { files[path] = hash }

    /// The hash of some bytes: SHA-256 in base64url.
    static func hash(of bytes: [UInt8]) -> String { Base64URL.text(SHA256.digest(bytes)) }

    /// The list as JSON, with a hash of all.
    var json: JSON {
        var members = JSON.Object()
        for (path, hash) in files.sorted(by: { $0.key < $1.key }) { members[path] = .string(hash) }
        return ["hash": .string(Self.hash(of: JSON.object(members).written)), "files": .object(members)]
    }
}

extension Site {
    /// Lists the files on the thread that reads them, and calls `then` there.
    func list(then: @escaping @Sendable (SiteManifest) -> Void) {
        onReader { [self] in
            var manifest = SiteManifest()
            manifest.add("/client.js", SiteManifest.hash(of: Assets.client.bytes))
            manifest.add("/mirror.js", SiteManifest.hash(of: Assets.mirror.bytes))
            add(paths()[...], to: manifest, then)
        }
    }

    private func add(
        _ paths: ArraySlice<SitePath>, to manifest: SiteManifest, _ then: @escaping @Sendable (SiteManifest) -> Void
    ) {
        guard let path = paths.first else { return then(manifest) }
        find(path) { finding in
            var manifest = manifest
            if case .file(let file) = finding, manifest.files["/\(path.file)"] == nil {
                manifest.add("/\(path.file)", SiteManifest.hash(of: file.asset.bytes))
            }
            self.add(paths.dropFirst(), to: manifest, then)
        }
    }
}

/// The thread that reads the files of the site, one after the other. It runs only while there is something to read.
final class SiteReader: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let isThreaded: Bool
    private let state = Lock(State())

    init(isThreaded: Bool) {
        self.isThreaded = isThreaded
    }

    /// Runs a job after those that wait. Without threads, or if the system starts none, it runs here.
    func run(_ job: @escaping @Sendable () -> Void) {
        guard isThreaded else { return job() }
        let starts = state.with { state in
            state.waiting.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        do throws(SystemThread.Failure) {
            try SystemThread { [self] in runAll() }.detach()
        } catch {
            runAll()
        }
    }

    private func runAll() {
        while let jobs = take() {
            for job in jobs { job() }
        }
    }

    /// Takes the jobs that wait; nil ends the thread.
    private func take() -> [@Sendable () -> Void]? {
        state.with { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
