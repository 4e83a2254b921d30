internal import Glibc
package import StateStore

extension SQLiteJournal {
    /// Saves all that is readable of a directory as a new journal in `target`, and says what is not. A damaged space is
    /// made anew of its snapshot, its commits and `backup`. A server that starts on the new journal begins a new life.
    package static func repair(
        _ directory: String, to target: String, from backup: String? = nil
    ) throws(JournalFailure) -> RepairReport {
        let source = try ReadableJournal(directory, from: backup)
        var report = RepairReport()
        try make(target) { importer throws(JournalFailure) in
            report = try source.run { record throws(JournalFailure) in try importer.take(record) }
        }
        return report
    }

    /// Writes the lines of an export of all that is readable, and returns what is not.
    package static func exportReadable(
        _ directory: String, space: SpaceName? = nil, write: ([UInt8]) throws(JournalFailure) -> Void
    ) throws(JournalFailure) -> RepairReport {
        var lines = ExportLines()
        let report = try ReadableJournal(directory, from: nil).run(space: space) { record throws(JournalFailure) in
            try lines.add(record, write)
        }
        try lines.end(write)
        return report
    }
}
