import JSON

/// The facts of a space in memory.
struct MemoryState {
    /// The variables, in the order of their first fact. A linear search through a few names is faster than hashing.
    private var variables: [MemoryVariable] = []

    /// The facts of one variable: a value, or entries.
    fileprivate struct MemoryVariable {
        let name: String
        var whole: [UInt8]?
        var entries: [CodeUnits: [UInt8]] = [:]
        /// The keys of the entries of `whole` that later facts have removed.
        var gone: Set<CodeUnits> = []

        init(_ name: String) {
            self.name = name
        }
    }

    /// Applies the facts of a commit.
    mutating func take(_ facts: Facts) {
        // By index, because iteration would copy the array.
        for place in 0..<facts.count {
            let fact = facts[place]
            take(fact.variable, fact.entry, fact.value)
        }
    }

    /// Removes a row.
    mutating func erase(_ row: ErasedRow) {
        for index in variables.indices where row.isOf(variables[index].name) {
            let key = CodeUnits(row.key)
            variables[index].entries[key] = nil
            variables[index].gone.remove(key)
            if let whole = variables[index].whole, let rest = row.without(whole: whole) {
                variables[index].whole = rest
            }
        }
    }

    private mutating func take(_ name: String, _ entry: String?, _ value: consuming [UInt8]?) {
        for index in variables.indices where variables[index].name == name {
            return variables[index].take(entry, value)
        }
        variables.append(MemoryVariable(name))
        variables[variables.count - 1].take(entry, value)
    }

    /// Counts the bytes of the values, up to the limits of the count.
    func add(to count: inout SpaceSummary.Count) {
        for variable in variables {
            let name = variable.name.utf8.count
            if let whole = variable.whole, !count.add(name + whole.count) { return }
            for (key, value) in variable.entries {
                guard count.add(name + key.text.utf8.count + value.count) else { return }
            }
        }
    }

    /// The facts of all variables.
    var facts: [Fact] {
        variables.flatMap { variable -> [Fact] in
            let name = variable.name
            let whole = variable.whole.map { [Fact(variable: name, value: $0)] } ?? []
            let gone = variable.gone.map { Fact(variable: name, entry: $0.text, value: nil) }
            let entries = variable.entries.map { Fact(variable: name, entry: $0.key.text, value: $0.value) }
            return whole + (gone + entries).sorted { ($0.entry ?? "") < ($1.entry ?? "") }
        }
    }
}

extension MemoryState.MemoryVariable {
    fileprivate mutating func take(_ entry: String?, _ value: consuming [UInt8]?) {
        guard let entry = entry.map({ CodeUnits($0) }) else {
            whole = value
            if !entries.isEmpty { entries = [:] }
            if !gone.isEmpty { gone = [] }
            return
        }
        entries[entry] = value
        guard whole != nil else { return }
        if value == nil { gone.insert(entry) } else { gone.remove(entry) }
    }
}
