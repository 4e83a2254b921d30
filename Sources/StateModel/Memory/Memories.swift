import JSON

/// The memory of a space: the entries of all its remembering definitions and operators.
package final class Memories {
    private var memories: [String: Memory] = [:]

    package init() {}

    /// The bytes of all entries.
    var size: Int { memories.values.reduce(0) { $0 + $1.size } }

    /// True if entries were written since the last commit.
    package var isWritten: Bool { memories.values.contains(where: \.isWritten) }

    /// True if there are no entries.
    var isEmpty: Bool { memories.values.allSatisfy(\.isEmpty) }

    /// The memory of a variable; nil if there is none.
    package func existing(_ variable: String) -> Memory? { memories[variable] }

    /// The memory of a variable, which is made if there is none.
    package func memory(_ variable: String) -> Memory {
        if let known = memories[variable] { return known }
        let memory = Memory(variable)
        memories[variable] = memory
        return memory
    }

    /// Returns the variables whose memory began anew since the last call because of members that are private now.
    package func takeRestarted() -> [String] {
        let restarted = memories.values.filter(\.isRestarted)
        for memory in restarted { memory.isRestarted = false }
        return restarted.map(\.variable).sorted()
    }

    /// Removes the entries of variables that satisfy a condition.
    package func remove(where isStale: (String) -> Bool) {
        for memory in memories.values where !memory.isEmpty && isStale(memory.variable) { memory.removeAll() }
    }

    /// Takes the entries of other memories, as the journal has them.
    func become(_ other: Memories) {
        for (variable, memory) in memories { memory.become(other.memories[variable]) }
        for (variable, past) in other.memories where memories[variable] == nil { memory(variable).become(past) }
    }

    /// Takes an entry as the journal has it. A fact without an entry replaces the whole memory; it has no value.
    func restore(_ fact: Fact) throws(JSONError) {
        if let value = fact.value {
            try JSONReader.read(value) { reader throws(JSONError) in try reader.skip() }
        }
        let memory = memory(fact.variable)
        guard let entry = fact.entry else { return memories[fact.variable] = nil }
        memory.restore(fact.value, for: entry)
    }

    /// Returns true if another memory has the same entries.
    func isEqual(to other: Memories) -> Bool {
        Set(memories.keys).union(other.memories.keys).allSatisfy { variable in
            let (one, other) = (memories[variable], other.memories[variable])
            let keys = (one.map { Array($0.keys) } ?? []) + (other.map { Array($0.keys) } ?? [])
            return keys.allSatisfy { one?[$0] == other?[$0] }
        }
    }

    /// Writes the entries of another memory in the place of these.
    func change(to other: Memories?) {
        for memory in memories.values { memory.change(to: other?.memories[memory.variable]) }
        for (variable, past) in other?.memories ?? [:] where memories[variable] == nil {
            memory(variable).change(to: past)
        }
    }

    /// Appends the facts of all entries that differ from the last commit, in the order of their variables.
    package func takeFacts(into facts: inout Facts) {
        for memory in memories.values.filter(\.isWritten).sorted(by: { $0.variable < $1.variable }) {
            memory.takeFacts(into: &facts)
            if memory.isEmpty { memories[memory.variable] = nil }
        }
    }
}
