internal import CSQLite
internal import Glibc
package import StateStore

extension SQLiteJournal {
    /// Returns a connection that only reads, to the journal in a directory.
    static func inspect(_ directory: String) throws(JournalFailure) -> DatabaseConnection {
        let folder = JournalDirectory(path: directory)
        guard try folder.hasDatabase() else { throw JournalFailure(.unusable, "There is no journal in \(directory).") }
        let connection = try open(folder)
        guard try Schema.check(connection) >= Schema.tablesVersion else {
            throw JournalFailure(
                .unusable,
                "The journal in \(directory) is of an older Headwater: start the server on it once, to bring it up to date."
            )
        }
        return connection
    }

    /// Calls `body` with the state of each space, `common` first, from one read transaction, while a server may continue to
    /// write. Leaves spaces out whose state cannot be read.
    package static func eachState(
        in directory: String, _ body: (SpaceName, StoredSpace) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let connection = try inspect(directory)
        let reader = try JournalReader(connection)
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            if let common = try reader.loadInTransaction(.common) { try body(.common, common.space) }
            try reader.eachSpace { name, _ throws(JournalFailure) in
                guard name != .common, let found = try? reader.loadInTransaction(name) else { return }
                try body(name, found.space)
            }
        }
    }

    /// Opens the database, also in a read-only directory. SQLite needs an index of the write-ahead log, a file that it
    /// creates if it is missing. If it cannot create the index, no process has the database open. Then the database is
    /// read directly if there is no log, otherwise as a copy with its log.
    private static func open(_ folder: JournalDirectory) throws(JournalFailure) -> DatabaseConnection {
        let connection = try DatabaseConnection(folder.database, .inspecting)
        do throws(JournalFailure) {
            _ = try connection.integer("PRAGMA user_version")
            return connection
        } catch {
            guard connection.lacksIndex, !folder.hasIndex() else { throw error }
            guard folder.hasLog() else { return try DatabaseConnection(folder.database, .inspectingUnchanged) }
            return try ScratchCopy(of: folder).open(as: folder.database)
        }
    }
}

/// A copy of a database and its log in a directory for temporary files.
private struct ScratchCopy {
    private static let chunkBytes = 1_024 * 1_024

    private let folder: JournalDirectory

    init(of source: JournalDirectory) throws(JournalFailure) {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array((parent + "/headwater-XXXXXX").utf8CString)
        guard
            unsafe template.withUnsafeMutableBufferPointer({ unsafe $0.baseAddress.flatMap { unsafe mkdtemp($0) } })
                != nil
        else {
            throw .unusable("\(source.path) cannot be written, and nothing can be copied to \(parent)")
        }
        folder = JournalDirectory(
            path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        do throws(JournalFailure) {
            try Self.copy(source.database, to: folder.database)
            try Self.copy(source.writeAheadLog, to: folder.writeAheadLog)
        } catch {
            remove()
            throw error
        }
    }

    /// Opens the copy. Its files are unlinked at once, so that no file remains after any end of the process.
    func open(as path: String) throws(JournalFailure) -> DatabaseConnection {
        let connection: DatabaseConnection
        do throws(JournalFailure) {
            connection = try DatabaseConnection(folder.database, .reading, as: path)
            _ = try connection.integer("PRAGMA user_version")
        } catch {
            remove()
            throw error
        }
        remove()
        return connection
    }

    private func remove() {
        for path in [folder.database, folder.writeAheadLog, folder.index] { unsafe unlink(path) }
        unsafe rmdir(folder.path)
    }

    private static func copy(_ source: String, to target: String) throws(JournalFailure) {
        let input = unsafe Glibc.open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw .unusable("\(source) cannot be opened") }
        defer { close(input) }
        let output = unsafe Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .unusable("\(target) cannot be written") }
        defer { close(output) }
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unusable("\(source) cannot be read") }
            if count == 0 { return }
            var done = 0
            while done < count {
                let more = unsafe chunk.withUnsafeBytes {
                    unsafe write(output, $0.baseAddress.map { unsafe $0 + done }, count - done)
                }
                if more < 0, errno == EINTR { continue }
                guard more > 0 else { throw .unusable("\(source) cannot be copied to \(target)") }
                done += more
            }
        }
    }
}
