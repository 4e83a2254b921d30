internal import JSON
internal import StateStore

/// A row of `state`: a fact of a snapshot.
struct StateRow {
    let fact: Fact

    /// Reads the current row of a statement. Throws if it differs from its sum.
    init(_ statement: Statement, of space: SpaceName, at path: String) throws(JournalFailure) {
        let variable = statement.text(0)
        let entry = statement.bytes(1)
        let value = statement.bytes(2)
        guard statement.isNull(3) || statement.integer(3) == Self.sum(variable, entry, value) else {
            throw .damaged(path, "\(variable) in the snapshot of the space \(space) is not as it was written")
        }
        do {
            fact = Fact(variable: variable, entry: entry.isEmpty ? nil : try String(parsing: entry), value: value)
        } catch {
            throw .damaged(
                path, "an entry of \(variable) in the snapshot of the space \(space) cannot be read (\(error))")
        }
    }

    /// The column of an entry: its key as JSON, so that no key equals the empty text, which stands for the whole
    /// variable.
    static func entry(_ key: String?) -> [UInt8] {
        guard let key else { return [] }
        var writer = JSONWriter()
        writer.string(key)
        return writer.bytes
    }

    static func sum(_ variable: String, _ entry: [UInt8], _ value: [UInt8]) -> Int {
        var sum = Checksum()
        sum.add(Array(variable.utf8))
        sum.add(entry)
        sum.add(value)
        return sum.value
    }
}
