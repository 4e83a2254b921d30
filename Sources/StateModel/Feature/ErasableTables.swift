import JSON
import Reactive

extension FeatureSet {
    /// A table, or a variable of its name, in the features of the set.
    package struct TablePlace {
        /// The index of the feature.
        package let index: Int
        /// The index of the variable in the feature.
        package let variableIndex: Int
        package let variable: FeatureBlueprint.StateVariable

        /// False for a variable without rows, and for a table whose rows are in memory only.
        package var isErasable: Bool { variable.type.changesByEntry && variable.isKept }
    }

    /// The place of a table, by the name that clients see; nil if these features have none.
    package func table(_ name: String) -> TablePlace? {
        for (index, blueprint) in catalog.blueprints(in: scope).enumerated() {
            guard let place = blueprint.variables.firstIndex(where: { $0.name == name }) else { continue }
            return TablePlace(index: index, variableIndex: place, variable: blueprint.variables[place])
        }
        return nil
    }
}

extension FeatureInstance {
    /// Removes a row of a table in a transaction. A key that the table cannot have is no row of it.
    package func removeRow(_ key: String, of variable: Int, in transaction: inout Transaction) throws(Rejection) {
        do throws(JSONError) {
            try variables[variable].take(
                Fact(variable: blueprint.variables[variable].key, entry: key, value: nil), in: &transaction)
        } catch {
            return
        }
    }
}
