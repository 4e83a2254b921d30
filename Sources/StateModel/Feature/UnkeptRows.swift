import JSON
import Reactive

// The rows of a space that are in memory only.

extension FeatureSet {
    /// True if a feature has rows that are in memory only.
    package var hasUnkeptRows: Bool {
        catalog.hasUnkept && made.contains { $0.blueprint.hasUnkept && $0.hasUnkeptRows }
    }

    /// Takes the rows in memory only of other features of the same scope.
    package func adoptUnkept(of others: FeatureSet, in transaction: inout Transaction) {
        for (index, other) in others.instances.enumerated() {
            guard let other, other.hasUnkeptRows else { continue }
            self[index].adoptUnkept(of: other, in: &transaction)
        }
    }

    /// True if a feature has tables whose rows are in memory only.
    package var hasUnkept: Bool { catalog.hasUnkept }

    /// Returns true if a view derives from nothing that is in memory only.
    package func isKept(_ view: ViewKey) -> Bool { catalog.isKept(view) }

    /// The tables in memory only that have rows.
    private var unkeptTables: [(variable: FeatureBlueprint.StateVariable, table: any PersistentState)] {
        made.filter(\.blueprint.hasUnkept).flatMap { feature in
            zip(feature.blueprint.variables, feature.variables).filter { !$0.0.isKept && $0.1.hasRows }
                .map { (variable: $0.0, table: $0.1) }
        }
    }

    /// The rows of present clients.
    package var presentRows: [PresenceRow] {
        unkeptTables.filter { $0.variable.presence != nil }.flatMap { variable, table in
            table.entries.map { PresenceRow(table: variable.name, key: $0) }
        }
    }

    /// Lists the places of all rows.
    package func listUnkeptRows() -> RowListing {
        RowListing(unkeptTables.map { ($0.variable.key, $0.table.entries) })
    }

    /// Returns the rows at listed places after one, in their order, up to about so many bytes, and whether there are
    /// more. Rows that have gone since they were listed are left out.
    package func unkeptRows(
        of listing: RowListing, after place: RowsRequest.Place? = nil, upTo bytes: Int = .max
    ) -> (facts: [Fact], hasMore: Bool) {
        let tables = Dictionary(unkeptTables.map { ($0.variable.key, $0.table) }) { first, _ in first }
        var facts: [Fact] = []
        var size = 0
        for (variable, keys) in listing.places(after: place) {
            guard let table = tables[variable] else { continue }
            for key in keys {
                if size >= bytes { return (facts, true) }
                // A row that cannot be written cannot be shared either.
                guard let value = (try? table.entry(key)) ?? nil else { continue }
                facts.append(Fact(variable: variable, entry: key, value: value))
                size += key.utf8.count + value.count
            }
        }
        return (facts, false)
    }

    /// Removes the rows in memory only.
    package func clearUnkept(exceptPresence: Bool = false, in transaction: inout Transaction) {
        for (variable, table) in unkeptTables where !exceptPresence || variable.presence == nil {
            // An object without members is one for every type of rows.
            try? table.take(Fact(variable: variable.key, value: Array("{}".utf8)), in: &transaction)
        }
    }

    /// Writes rows in memory only of another node. Those of tables that this node does not have are ignored, and those that
    /// a newer program wrote, which this one cannot read.
    package func takeUnkept(_ fact: Fact, in transaction: inout Transaction) {
        guard let place = catalog.variable(fact.variable), place.feature.scope == scope else { return }
        let feature = self[place.feature.index]
        guard !feature.blueprint.variables[place.index].isKept else { return }
        try? feature.variables[place.index].take(fact, in: &transaction)
    }
}

extension FeatureInstance {
    /// The changes of rows in memory only that the open transaction makes; nil if one cannot be written.
    package final var unkeptFacts: [Fact]? {
        var facts = Facts()
        for index in variables.indices where variables[index].isWritten && !blueprint.variables[index].isKept {
            do throws(JSONError) {
                try variables[index].appendFacts(named: blueprint.variables[index].key, asWhole: false, to: &facts)
            } catch {
                return nil
            }
        }
        return Array(facts)
    }
}
