internal import JSON
internal import StateStore

/// A row of `state` or `past`: a fact of a snapshot, or one that it displaced.
struct StateRow {
    let fact: Fact
    /// The version that set the value; nil if no longer known.
    let since: Int?
    /// The column `entry`.
    let entry: [UInt8]

    /// Reads the current row of a statement over `state`: variable, entry, value, since, sum. Throws if it differs from
    /// its sum.
    init(_ row: Statement, of space: SpaceName, at path: String) throws(JournalFailure) {
        self = try Self(row, until: nil, of: space, at: path)
    }

    /// Reads the current row of a statement over `past`: variable, entry, value, since, sum, until. Throws if it
    /// differs from its sum.
    init(ended row: Statement, of space: SpaceName, at path: String) throws(JournalFailure) {
        self = try Self(row, until: row.integer(5), of: space, at: path)
    }

    private init(_ row: Statement, until: Int?, of space: SpaceName, at path: String) throws(JournalFailure) {
        try self.init(
            variable: row.text(0), entry: row.bytes(1), value: row.bytes(2),
            since: row.isNull(3) ? nil : row.integer(3),
            sum: row.isNull(4) ? nil : row.integer(4), until: until, of: space, at: path)
    }

    /// A row with these columns. Throws if it differs from its sum.
    init(
        variable: String, entry: [UInt8], value: [UInt8], since: Int?, sum: Int?, until: Int?, of space: SpaceName,
        at path: String
    ) throws(JournalFailure) {
        self.entry = entry
        self.since = since
        let place = until.map { "up to version \($0)" } ?? "in the snapshot"
        guard sum == nil || sum == Self.sum(variable, entry, value, since: since, until: until) else {
            throw .damaged(path, "\(variable) \(place) of the space \(space) is not as it was written")
        }
        do {
            fact = Fact(variable: variable, entry: entry.isEmpty ? nil : try String(parsing: entry), value: value)
        } catch {
            throw .damaged(path, "an entry of \(variable) \(place) of the space \(space) cannot be read (\(error))")
        }
    }

    /// Returns true if the row comes before another in the order of variables and entries.
    func precedes(_ other: StateRow) -> Bool {
        let (one, two) = (fact.variable.utf8, other.fact.variable.utf8)
        if one.elementsEqual(two) { return entry.lexicographicallyPrecedes(other.entry) }
        return one.lexicographicallyPrecedes(two)
    }

    /// The column of an entry: its key as JSON, so that no key equals the empty text, which stands for the whole
    /// variable.
    static func entry(_ key: String?) -> [UInt8] {
        guard let key else { return [] }
        var writer = JSONWriter()
        writer.string(key)
        return writer.bytes
    }

    /// The sum of a row. Rows of an older program have no `since`.
    static func sum(_ variable: String, _ entry: [UInt8], _ value: [UInt8], since: Int?, until: Int?) -> Int {
        var sum = Checksum()
        sum.add(Array(variable.utf8))
        sum.add(entry)
        sum.add(value)
        if let since { sum.add(since) }
        if let until { sum.add(until) }
        return sum.value
    }
}
