import Glibc

/// The figures of the disk that holds a data directory.
struct DiskFigures: Sendable {
    private let directory: String

    init(_ directory: String) { self.directory = directory }

    /// The bytes that this process may still write, and all bytes of the file system; nil if it does not say.
    var room: (free: Double, all: Double)? {
        var figures = statvfs()
        guard statvfs(directory, &figures) == 0 else { return nil }
        let block = Double(figures.f_frsize)
        return (Double(figures.f_bavail) * block, Double(figures.f_blocks) * block)
    }

    /// The bytes of the files of the journal, by kind: `log` for what is not in the database yet.
    var files: [(kind: String, bytes: Double)] {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var sizes = ["database": 0.0, "log": 0.0, "other": 0.0]
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard stat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let kind =
                name.hasSuffix("-wal")
                ? "log" : name.hasSuffix(".sqlite") || name.hasSuffix(".db") ? "database" : "other"
            sizes[kind, default: 0] += Double(status.st_size)
        }
        return sizes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func add(to exposition: inout Exposition) {
        if let room {
            exposition.add("headwater_disk_free_bytes", .gauge, "Free bytes of the disk of the data.", room.free)
            exposition.add("headwater_disk_bytes", .gauge, "All bytes of the disk of the data.", room.all)
        }
        exposition.begin(
            "headwater_journal_bytes", .gauge,
            "Bytes of the files of the data, by kind: log is not in the database yet.")
        for file in files { exposition.add("headwater_journal_bytes", [("file", file.kind)], file.bytes) }
    }
}
