internal import JSON
internal import StateStore

/// The way of a snapshot from one version to a later one: the rows of `state` that change, and the rows that move to
/// `past`, every value between the two versions included.
///
/// A whole value whose entries change later is split: its row becomes an empty object, and each entry a row that holds
/// since the whole value was set. Both forms mean the same.
struct SnapshotAdvance {
    /// A value, and the version that set it; nil if no longer known.
    struct SinceValue: Hashable {
        var value: [UInt8]
        let since: Int?
    }

    /// A row of `past`.
    struct EndedRow: Hashable {
        let variable: ByteString
        /// The column `entry`.
        let entry: [UInt8]
        let until: Int
        let value: SinceValue
    }

    /// A row of `touches`.
    struct Touch: Hashable {
        let variable: ByteString
        let version: Int
    }

    /// The rows of one variable that are known.
    private struct VariableRows {
        /// The rows by the column `entry`; nil for a row that there is not.
        var rows: [[UInt8]: SinceValue?] = [:]
        /// The rows of `state` before the first commit.
        var stored: [[UInt8]: SinceValue] = [:]
        /// True if all rows of the variable are known.
        var isComplete = false
    }

    /// Some of the rows that it writes.
    struct RowPart {
        /// The rows of `past`, each with the change of its row in `state`.
        fileprivate(set) var ended: [EndedRow] = []
        fileprivate(set) var changes: [(variable: String, entry: [UInt8], row: SinceValue?)] = []
    }

    /// Reads the rows of a variable from `state`: the row of one entry, or all.
    typealias Source = (_ variable: String, _ entry: [UInt8]?) throws(JournalFailure) -> [StateRow]

    private(set) var ended: [EndedRow] = []
    private(set) var touches: [Touch] = []
    /// The number of bytes of the values in `ended` and in the changed rows.
    private(set) var bytes = 0
    private var variables: [ByteString: VariableRows] = [:]

    /// Applies the facts of the commit `version`. Throws if a variable changes by entry but has none.
    mutating func add(
        _ facts: some Sequence<Fact>, of version: Int, from source: Source
    ) throws(JournalFailure) -> JSONError? {
        for fact in facts {
            bytes += fact.value?.count ?? 0
            let name = ByteString(fact.variable)
            var known = variables.removeValue(forKey: name) ?? VariableRows()
            defer { variables[name] = known }
            guard fact.entry != nil else {
                try Self.complete(&known, fact.variable, source)
                for (entry, row) in known.rows {
                    if let row { end(row, of: name, entry, until: version) }
                    known.rows[entry] = .some(nil)
                }
                known.rows[[]] = SinceValue(value: fact.value ?? FactsText.null, since: version)
                continue
            }
            do throws(SpreadFailure) {
                try Self.spread(&known, fact.variable, source)
            } catch {
                switch error {
                case .journal(let failure): throw failure
                case .json(let failure): return failure
                }
            }
            let entry = StateRow.entry(fact.entry)
            if let row = try Self.row(entry, in: &known, fact.variable, source) {
                end(row, of: name, entry, until: version)
            } else if fact.value == nil {
                // The removal of what was not there holds for no version, but is a change.
                let nothing = SinceValue(value: FactsText.null, since: version)
                ended.append(EndedRow(variable: name, entry: entry, until: version, value: nothing))
            }
            known.rows[entry] = .some(fact.value.map { SinceValue(value: $0, since: version) })
            if touches.last != Touch(variable: name, version: version) {
                touches.append(Touch(variable: name, version: version))
            }
        }
        return nil
    }

    private mutating func end(_ row: SinceValue, of variable: ByteString, _ entry: [UInt8], until version: Int) {
        // A value that the same commit replaces was never shown.
        guard row.since != version else { return }
        ended.append(EndedRow(variable: variable, entry: entry, until: version, value: row))
    }

    /// Reads all rows of a variable.
    private static func complete(
        _ known: inout VariableRows, _ variable: String, _ source: Source
    ) throws(JournalFailure) {
        guard !known.isComplete else { return }
        known.isComplete = true
        for row in try source(variable, nil) {
            let value = SinceValue(value: row.fact.value ?? FactsText.null, since: row.since)
            if known.stored.updateValue(value, forKey: row.entry) == nil, known.rows[row.entry] == nil {
                known.rows[row.entry] = value
            }
        }
    }

    /// The row of one entry.
    private static func row(
        _ entry: [UInt8], in known: inout VariableRows, _ variable: String, _ source: Source
    ) throws(JournalFailure) -> SinceValue? {
        if let row = known.rows[entry] { return row }
        guard !known.isComplete else { return nil }
        let row = try source(variable, entry).first.map {
            SinceValue(value: $0.fact.value ?? FactsText.null, since: $0.since)
        }
        known.rows[entry] = .some(row)
        known.stored[entry] = row
        return row
    }

    private enum SpreadFailure: Error {
        case journal(JournalFailure)
        case json(JSONError)
    }

    /// Splits a whole value into an empty object and its entries.
    private static func spread(
        _ known: inout VariableRows, _ variable: String, _ source: Source
    ) throws(SpreadFailure) {
        do throws(JournalFailure) {
            guard let whole = try row([], in: &known, variable, source), whole.value != FactsText.emptyObject else {
                return
            }
            try complete(&known, variable, source)
        } catch {
            throw .journal(error)
        }
        guard let found = known.rows[[]], let whole = found else { return }
        do throws(JSONError) {
            for (key, value) in try FactsText.entries(of: whole.value) {
                known.rows[StateRow.entry(key)] = SinceValue(value: value, since: whole.since)
            }
        } catch {
            throw .json(error)
        }
        known.rows[[]] = SinceValue(value: FactsText.emptyObject, since: whole.since)
    }

    /// The number of rows that are known: at least those that it writes to `state`.
    var rowCount: Int { variables.values.reduce(0) { $0 + $1.rows.count } }

    /// The rows of one commit in parts, each with at most `limit` rows of `state`. After each part the versions up to the
    /// snapshot are in `state` and `past` as before, and the commit makes its own state of what is in `state`: a whole value
    /// goes after its entries have come.
    func parts(of limit: Int) throws(JournalFailure) -> [RowPart] {
        var ends: [ByteString: [[UInt8]: EndedRow]] = [:]
        for row in ended { ends[row.variable, default: [:]][row.entry] = row }
        var (parts, part, wholes) = ([RowPart](), RowPart(), RowPart())
        try eachChange { variable, entry, row throws(JournalFailure) in
            let end = ends[ByteString(variable)]?.removeValue(forKey: entry)
            if entry.isEmpty {
                wholes.changes.append((variable, entry, row))
                if let end { wholes.ended.append(end) }
                return
            }
            part.changes.append((variable, entry, row))
            if let end { part.ended.append(end) }
            if part.changes.count == limit {
                parts.append(part)
                part = RowPart()
            }
        }
        // What was never in `state`.
        part.ended += ends.values.flatMap(\.values)
        return parts + [part, wholes]
    }

    /// Returns the advance without the rows that `parts` has.
    func withoutRows() -> SnapshotAdvance {
        var advance = withoutPast()
        (advance.touches, advance.variables) = (touches, [:])
        return advance
    }

    /// Returns the same changes without the rows of the past, which are written already.
    func withoutPast() -> SnapshotAdvance {
        var advance = self
        (advance.ended, advance.touches, advance.bytes) = ([], [], 0)
        return advance
    }

    /// Calls `body` with each row of `state` that changes: its new value, or nil if it goes.
    func eachChange(
        _ body: (_ variable: String, _ entry: [UInt8], SinceValue?) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        for (name, known) in variables {
            for (entry, row) in known.rows where row != known.stored[entry] { try body(name.text, entry, row) }
        }
    }
}
