internal import JSON
internal import StateStore

/// The net change of many commits: the last value of each changed variable or entry.
///
/// A variable that is set as a whole and then changes by entry is stored as an empty object and entries, which is
/// equivalent.
struct SnapshotDelta {
    /// The change of one variable.
    struct VariableChange {
        /// The whole value, if the variable was set as a whole. It replaces all earlier values.
        var whole: [UInt8]?
        /// The entries, in the order in which they first changed.
        private(set) var entries: [Fact] = []
        private var places: [ByteString: Int] = [:]

        init(whole: [UInt8]?) {
            self.whole = whole
        }

        /// Returns true if the entry changes.
        func hasEntry(_ key: String) -> Bool {
            places[ByteString(key)] != nil
        }

        mutating func set(_ key: String, _ fact: Fact) {
            if let place = places[ByteString(key)] {
                entries[place] = fact
            } else {
                places[ByteString(key)] = entries.count
                entries.append(fact)
            }
        }
    }

    private(set) var changes: [(variable: String, change: VariableChange)] = []
    private var places: [ByteString: Int] = [:]

    /// The change of a variable.
    subscript(variable: String) -> VariableChange? {
        places[ByteString(variable)].map { changes[$0].change }
    }

    /// Adds the facts of the next commit.
    mutating func add(_ facts: some Sequence<Fact>) throws(JSONError) {
        for fact in facts {
            let place = place(of: fact.variable)
            guard let key = fact.entry else {
                changes[place].change = VariableChange(whole: fact.value ?? FactsText.null)
                continue
            }
            if let whole = changes[place].change.whole, whole != FactsText.emptyObject {
                changes[place].change.whole = FactsText.emptyObject
                for (key, value) in try FactsText.entries(of: whole) {
                    changes[place].change.set(key, Fact(variable: fact.variable, entry: key, value: value))
                }
            }
            changes[place].change.set(key, fact)
        }
    }

    private mutating func place(of variable: String) -> Int {
        if let place = places[ByteString(variable)] { return place }
        places[ByteString(variable)] = changes.count
        changes.append((variable, VariableChange(whole: nil)))
        return changes.count - 1
    }

    /// The facts of a space after these commits, from the facts before them: a whole value before its entries.
    func applied(to before: [Fact]) throws(JSONError) -> [Fact] {
        var facts: [Fact] = []
        for fact in before {
            guard let change = self[fact.variable] else {
                facts.append(fact)
                continue
            }
            if change.whole != nil { continue }
            if let key = fact.entry {
                if !change.hasEntry(key) { facts.append(fact) }
                continue
            }
            guard let whole = fact.value, whole != FactsText.emptyObject else {
                facts.append(fact)
                continue
            }
            facts.append(Fact(variable: fact.variable, value: FactsText.emptyObject))
            for (key, value) in try FactsText.entries(of: whole) where !change.hasEntry(key) {
                facts.append(Fact(variable: fact.variable, entry: key, value: value))
            }
        }
        for (variable, change) in changes {
            if let whole = change.whole { facts.append(Fact(variable: variable, value: whole)) }
            for fact in change.entries where fact.value != nil { facts.append(fact) }
        }
        return facts
    }
}
