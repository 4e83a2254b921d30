import Glibc
import Ground
import Platform

/// A thread that notices changes of the files of a directory, and of the directories in it.
///
/// It looks at names, sizes and times four times a second, so that it works on every file system, also on one that a
/// container shares. Hidden names do not count.
final class DirectoryWatch: Sendable {
    private static let intervalMicroseconds: UInt32 = 250_000
    private static let depthLimit = 8
    private static let filesLimit = 20_000

    private let path: String
    /// The digest of the files when the watch was made, so that a change before `begin` is noticed too.
    private let first: UInt64

    init(_ path: String) {
        self.path = path
        first = Self.digest(of: path)
    }

    /// Calls `changed` on a thread of its own after each change since the watch was made, once the files have stayed the
    /// same for a look.
    func begin(_ changed: @escaping @Sendable () -> Void) throws(SystemThread.Failure) {
        try SystemThread { [path, first] in
            var known = first
            var seen = known
            while true {
                usleep(Self.intervalMicroseconds)
                let now = Self.digest(of: path)
                // An editor may write a file in several steps.
                defer { seen = now }
                guard now == seen, now != known else { continue }
                known = now
                changed()
            }
        }.detach()
    }

    /// Returns a digest of the names, sizes and times of all files.
    static func digest(of path: String) -> UInt64 {
        var hash = FNV1a()
        var count = 0
        add(path, depth: 0, &hash, &count)
        return hash.value
    }

    private static func add(_ path: String, depth: Int, _ hash: inout FNV1a, _ count: inout Int) {
        guard depth < depthLimit, let directory = opendir(path) else { return }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix("."), name != "node_modules" { names.append(name) }
        }
        closedir(directory)
        for name in names.sorted() where count < filesLimit {
            count += 1
            var status = stat()
            let place = "\(path)/\(name)"
            guard stat(place, &status) == 0 else { continue }
            hash.add(Array(place.utf8))
            if status.st_mode & S_IFMT == S_IFDIR {
                add(place, depth: depth + 1, &hash, &count)
            } else {
                hash.add(
                    Array("\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)".utf8))
            }
        }
    }
}
