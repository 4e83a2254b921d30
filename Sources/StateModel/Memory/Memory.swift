/// The entries that one remembering definition or operator keeps: JSON by key. They are the facts of one variable of the
/// space.
package final class Memory {
    /// The variable of the facts, as `~streams.total`.
    package let variable: String
    private var entries: [String: [UInt8]] = [:]
    /// The committed values of the entries that were written since the last commit; nil for a new entry.
    private var committed: [String: [UInt8]?] = [:]
    /// The bytes of all keys and values.
    package private(set) var size = 0
    /// The number of changes.
    private(set) var revision = 0
    /// True if the memory began anew because it came from members that are private now, or from behind a rule that is gone,
    /// and the space has not said so.
    package var isRestarted = false

    package init(_ variable: String) {
        self.variable = variable
    }

    /// True if there are no entries.
    package var isEmpty: Bool { entries.isEmpty }

    /// The keys of all entries, without an order.
    package var keys: some Sequence<String> { entries.keys }

    /// True if entries were written since the last commit.
    var isWritten: Bool { !committed.isEmpty }

    /// The value of an entry; nil if there is none.
    package subscript(key: String) -> [UInt8]? {
        get { entries[key] }
        set {
            let old = entries[key]
            guard old != newValue else { return }
            if committed[key] == nil { committed.updateValue(old, forKey: key) }
            set(newValue, for: key, in: old)
        }
    }

    private func set(_ value: [UInt8]?, for key: String, in old: [UInt8]?) {
        if let old { size -= key.utf8.count + old.count }
        if let value { size += key.utf8.count + value.count }
        entries[key] = value
        revision += 1
    }

    /// Removes all entries.
    package func removeAll() {
        for key in Array(entries.keys) { self[key] = nil }
    }

    /// Writes the entries of another memory in the place of these; none if it is nil.
    func change(to other: Memory?) {
        for key in Array(entries.keys) where other?.entries[key] == nil { self[key] = nil }
        for (key, value) in other?.entries ?? [:] { self[key] = value }
    }

    /// Takes the entries of another memory, as the journal has them; none if it is nil.
    func become(_ other: Memory?) {
        for key in Array(entries.keys) where other?.entries[key] == nil { restore(nil, for: key) }
        for (key, value) in other?.entries ?? [:] where entries[key] != value { restore(value, for: key) }
    }

    /// Takes an entry as the journal has it.
    func restore(_ value: [UInt8]?, for key: String) {
        set(value, for: key, in: entries[key])
        committed[key] = nil
    }

    /// Appends the facts of the entries that differ from the last commit, in the order of their keys.
    func takeFacts(into facts: inout Facts) {
        let written = committed.count == 1 ? Array(committed.keys) : committed.keys.sorted()
        for key in written {
            let value = entries[key]
            if committed[key] != .some(value) { facts.append(Fact(variable: variable, entry: key, value: value)) }
        }
        committed.removeAll(keepingCapacity: true)
    }
}
