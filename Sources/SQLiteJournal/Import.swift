internal import Glibc
internal import JSON
public import StateStore

extension SQLiteJournal {
    /// Makes a journal of the lines of an export, in a new directory or one that keeps nothing yet. `next` gives a line at a time, nil after the last.
    /// All of it is there in the end or, if it throws, none: a line that is wrong is named by its number.
    public static func `import`(
        into directory: String, next: () throws(JournalFailure) -> [UInt8]?
    ) throws(JournalFailure) {
        let home = Home(directory: directory)
        try home.create()
        let lock = try DirectoryLock(home)
        try requireEmpty(home)
        try removeDraft(of: home)
        do {
            let intake = try Intake(home.draft)
            while let line = try next() { try intake.take(line) }
            try intake.finish()
        } catch {
            try removeDraft(of: home)
            throw error
        }
        try home.publishDraft()
        _ = consume lock
    }

    /// Throws unless nothing is kept in a directory.
    private static func requireEmpty(_ home: Home) throws(JournalFailure) {
        guard try home.hasDatabase() else { return }
        let connection = try Connection(home.database, .writing)
        guard try Schema.check(connection) > 0 else { return }
        guard try connection.integer("SELECT count(*) FROM (SELECT 1 FROM spaces LIMIT 1)") == 0 else {
            throw JournalFailure(.unusable, "\(home.directory) keeps something already. Import into a new directory.")
        }
    }

    private static func removeDraft(of home: Home) throws(JournalFailure) {
        for path in [home.draft, home.draft + "-wal", home.draft + "-shm"] {
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unusable("\(path) cannot be removed") }
        }
    }
}
