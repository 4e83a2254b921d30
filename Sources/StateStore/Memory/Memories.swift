/// The memory of a space: the entries of all its remembering definitions and operators.
package final class Memories {
    private var memories: [String: Memory] = [:]

    package init() {}

    /// The bytes of all entries.
    var size: Int { memories.values.reduce(0) { $0 + $1.size } }

    /// True if entries were written since the last commit.
    var isWritten: Bool { memories.values.contains(where: \.isWritten) }

    /// True if there are no entries.
    var isEmpty: Bool { memories.values.allSatisfy(\.isEmpty) }

    /// The memory of a variable, which is made if there is none.
    package func memory(_ variable: String) -> Memory {
        if let known = memories[variable] { return known }
        let memory = Memory(variable)
        memories[variable] = memory
        return memory
    }

    /// Takes an entry as the journal has it. A fact without an entry replaces the whole memory; it has no value.
    func restore(_ fact: Fact) {
        let memory = memory(fact.variable)
        guard let entry = fact.entry else { return memories[fact.variable] = nil }
        memory.restore(fact.value, for: entry)
    }

    /// Returns the facts of the entries that differ in another memory, in the order of their variables and keys.
    func facts(to other: Memories) -> [Fact] {
        var facts: [Fact] = []
        for variable in Set(memories.keys).union(other.memories.keys).sorted() {
            let (old, new) = (memories[variable], other.memories[variable])
            let keys = Set(old.map { Array($0.keys) } ?? []).union(new.map { Array($0.keys) } ?? [])
            for key in keys.sorted() where old?[key] != new?[key] {
                facts.append(Fact(variable: variable, entry: key, value: new?[key]))
            }
        }
        return facts
    }

    /// Appends the facts of all entries that differ from the last commit, in the order of their variables.
    func takeFacts(into facts: inout Facts) {
        for memory in memories.values.filter(\.isWritten).sorted(by: { $0.variable < $1.variable }) {
            memory.takeFacts(into: &facts)
            if memory.isEmpty { memories[memory.variable] = nil }
        }
    }
}
