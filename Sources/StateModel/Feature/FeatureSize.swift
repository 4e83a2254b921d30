import JSON
import Reactive

extension FeatureInstance {
    /// The size of the stored variables and tables. A table with its initial rows is not stored.
    package var size: SpaceSize {
        variables.indices.reduce(SpaceSize()) { sum, index in
            let variable = blueprint.variables[index]
            guard variable.isKept, !isInitial(variable.key) else { return sum }
            return sum + storedSize(index)
        }
    }

    /// The size of a variable or a table before the open transaction.
    private func storedSize(_ index: Int) -> SpaceSize {
        // A value that cannot be written was never stored.
        let bytes = (try? variables[index].size()) ?? 0
        // The braces of a table are in no row.
        let isTable = blueprint.variables[index].type.changesByEntry
        return SpaceSize(rows: variables[index].rowCount, bytes: isTable ? max(0, bytes - 2) : bytes)
    }

    /// The growth of the size by the open transaction, whose facts are given. Takes O(facts), and O(rows) where a fact is a
    /// whole table.
    package func growth(by facts: Facts) -> SpaceSize {
        var growth = SpaceSize()
        for index in variables.indices where variables[index].isWritten {
            let (state, variable) = (variables[index], blueprint.variables[index])
            let own = facts.filter { $0.variable == variable.key }
            guard !own.isEmpty else { continue }
            // Rows in memory only are never in the journal.
            let isInitial = variable.isKept && isInitial(variable.key)
            if let whole = own.last(where: { $0.entry == nil }) {
                let after = SpaceSize.size(of: [whole]) { _ in variable.type.changesByEntry }
                growth = growth + (isInitial ? after : after - storedSize(index))
                continue
            }
            if isInitial { growth = growth + storedSize(index) }
            for fact in own {
                guard let key = fact.entry else { continue }
                let before = (try? state.entry(key)) ?? nil
                growth = growth + SpaceSize.row(key, fact.value) - SpaceSize.row(key, before)
            }
        }
        return growth
    }
}

extension FeatureSet {
    /// The size of the stored state. Takes O(state).
    package var size: SpaceSize { made.reduce(pendingSize) { $0 + $1.size } }
}
