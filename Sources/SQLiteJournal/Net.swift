internal import JSON
internal import StateStore

/// What many commits come to: of each variable or entry that they changed, what the last of them says.
///
/// A variable that is set as a whole and then changes by entry becomes an empty whole and its entries, which says the same.
struct Net {
    /// What became of one variable.
    struct Outcome {
        /// Its value as a whole, if it was set as such: then nothing counts that was before.
        var whole: [UInt8]?
        /// Its entries, in the order in which they first changed.
        private(set) var entries: [Fact] = []
        private var places: [Exact: Int] = [:]

        init(whole: [UInt8]?) {
            self.whole = whole
        }

        /// Whether it says something of an entry.
        func hasEntry(_ key: String) -> Bool {
            places[Exact(key)] != nil
        }

        mutating func set(_ key: String, _ fact: Fact) {
            if let place = places[Exact(key)] {
                entries[place] = fact
            } else {
                places[Exact(key)] = entries.count
                entries.append(fact)
            }
        }
    }

    private(set) var outcomes: [(variable: String, outcome: Outcome)] = []
    private var places: [Exact: Int] = [:]

    /// What became of a variable.
    subscript(variable: String) -> Outcome? {
        places[Exact(variable)].map { outcomes[$0].outcome }
    }

    /// Adds what the next commit says.
    mutating func add(_ facts: some Sequence<Fact>) throws(JSONError) {
        for fact in facts {
            let place = place(of: fact.variable)
            guard let key = fact.entry else {
                outcomes[place].outcome = Outcome(whole: fact.value ?? FactsText.null)
                continue
            }
            if let whole = outcomes[place].outcome.whole, whole != FactsText.emptyObject {
                outcomes[place].outcome.whole = FactsText.emptyObject
                for (key, value) in try FactsText.entries(of: whole) {
                    outcomes[place].outcome.set(key, Fact(variable: fact.variable, entry: key, value: value))
                }
            }
            outcomes[place].outcome.set(key, fact)
        }
    }

    private mutating func place(of variable: String) -> Int {
        if let place = places[Exact(variable)] { return place }
        places[Exact(variable)] = outcomes.count
        outcomes.append((variable, Outcome(whole: nil)))
        return outcomes.count - 1
    }

    /// What is true of a space after these commits, where `before` is what was true before them: a whole before its entries.
    func applied(to before: [Fact]) throws(JSONError) -> [Fact] {
        var facts: [Fact] = []
        for fact in before {
            guard let outcome = self[fact.variable] else {
                facts.append(fact)
                continue
            }
            if outcome.whole != nil { continue }
            if let key = fact.entry {
                if !outcome.hasEntry(key) { facts.append(fact) }
                continue
            }
            guard let whole = fact.value, whole != FactsText.emptyObject else {
                facts.append(fact)
                continue
            }
            facts.append(Fact(variable: fact.variable, value: FactsText.emptyObject))
            for (key, value) in try FactsText.entries(of: whole) where !outcome.hasEntry(key) {
                facts.append(Fact(variable: fact.variable, entry: key, value: value))
            }
        }
        for (variable, outcome) in outcomes {
            if let whole = outcome.whole { facts.append(Fact(variable: variable, value: whole)) }
            for fact in outcome.entries where fact.value != nil { facts.append(fact) }
        }
        return facts
    }
}
