internal import StateStore

/// The lines of an export for the rows of the oldest state of a space. Memory holds one line.
struct BaseLines {
    /// The maximum number of rows of a line.
    private static let rowsLimit = 1_024

    private let space: SpaceName
    private let version: Int
    private let oldest: Int
    /// The commit that made the state, which only the first line has.
    private var made: CommitRecord?
    private var rows: [(fact: Fact, since: Int?)] = []

    init(_ space: SpaceName, version: Int, oldest: Int, made: CommitRecord?) {
        self.space = space
        self.version = version
        self.oldest = oldest
        self.made = made
    }

    /// Adds the next row. A line contains a variable either as a whole or by entry.
    mutating func add(
        _ fact: Fact, since: Int?, _ write: (ExportRecord) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let last = rows.last.flatMap { $0.fact.entry == nil ? ByteString($0.fact.variable) : nil }
        let isSwitch = last == ByteString(fact.variable)
        if isSwitch || rows.count == Self.rowsLimit { try flush(write) }
        rows.append((fact, since))
    }

    /// Writes a line with the rows so far.
    mutating func flush(_ write: (ExportRecord) throws(JournalFailure) -> Void) throws(JournalFailure) {
        try write(.snapshot(space: space, ExportRecord.Base(version: version, oldest: oldest, rows: rows, made: made)))
        made = nil
        rows = []
    }
}
