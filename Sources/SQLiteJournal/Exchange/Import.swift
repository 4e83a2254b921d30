internal import Glibc
internal import JSON
package import StateStore

extension SQLiteJournal {
    /// Creates a journal from the lines of an export, in a new directory or an empty journal. `next` returns one line
    /// at a time, and nil after the last. If the import throws, no line was imported; the failure names the number of
    /// the wrong line.
    package static func `import`(
        into directory: String, next: () throws(JournalFailure) -> [UInt8]?
    ) throws(JournalFailure) {
        try make(directory) { importer throws(JournalFailure) in
            var count = 0
            while let line = try next() {
                try importer.take(line)
                count += 1
            }
            guard count > 0 else {
                throw JournalFailure(.damaged, "There are no lines. The export of an empty journal has one.")
            }
        }
    }

    /// Creates a journal from what `body` gives to an importer. If `body` throws, there is no journal.
    static func make(
        _ directory: String, _ body: (Importer) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let folder = JournalDirectory(path: directory)
        try folder.create()
        let lock = try DirectoryLock(folder)
        try requireEmpty(folder)
        try removeDraft(of: folder)
        do {
            let importer = try Importer(folder.draft)
            try body(importer)
            try importer.finish()
        } catch {
            try removeDraft(of: folder)
            throw error
        }
        try folder.publishDraft()
        _ = consume lock
    }

    /// Throws if the directory has a journal with spaces.
    private static func requireEmpty(_ folder: JournalDirectory) throws(JournalFailure) {
        guard try folder.hasDatabase() else { return }
        let connection = try DatabaseConnection(folder.database, .writing)
        guard try Schema.check(connection) > 0 else { return }
        guard try connection.integer("SELECT count(*) FROM (SELECT 1 FROM spaces LIMIT 1)") == 0 else {
            throw JournalFailure(.unusable, "\(folder.path) has spaces already. Import into a new directory.")
        }
    }

    private static func removeDraft(of folder: JournalDirectory) throws(JournalFailure) {
        for path in [folder.draft, folder.draft + "-wal", folder.draft + "-shm"] {
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unusable("\(path) cannot be removed") }
        }
    }
}
