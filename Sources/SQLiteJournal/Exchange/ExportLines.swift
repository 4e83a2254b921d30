internal import JSON
internal import StateStore

/// The lines of an export in their order. The first one says that an export begins, and the last one has their number,
/// so that an import knows whether it has all of them.
struct ExportLines {
    /// The lines of a journal without spaces.
    static let empty = Array(#"{"export":\#(ExportRecord.exportFormat),"lines":0}"#.utf8)

    private var pending: ExportRecord?
    private var count = 0

    /// Takes the next record, and writes the line of the one before.
    mutating func add(
        _ record: ExportRecord, _ write: ([UInt8]) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        if let last = pending { try write(last.text(ExportRecord.LineFrame(begins: count == 1))) }
        pending = record
        count += 1
    }

    /// Writes the last line.
    mutating func end(_ write: ([UInt8]) throws(JournalFailure) -> Void) throws(JournalFailure) {
        guard let last = pending else { return try write(Self.empty) }
        try write(last.text(ExportRecord.LineFrame(begins: count == 1, lines: count)))
        pending = nil
    }
}
