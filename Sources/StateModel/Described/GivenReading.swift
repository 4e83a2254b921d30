import JSON
import Reactive

/// State that other features can be given as JSON.
private protocol StateForOthers: AnyObject {
    var forOthers: GivenState { get }
}

extension Variable: StateForOthers where Value: JSONConvertible & SchemaProviding {
    var forOthers: GivenState {
        let variable: ReadableVariable<Value> = self
        if let own = (self as Node) as? Variable<JSON> { return .variable(own, read: { commit in commit[own] }) }
        // A value that cannot be written is null, as it is where a client reads it.
        return .variable(map { try $0.tree() }, read: { commit in (try? commit[variable].tree()) ?? .null })
    }
}

extension Table: StateForOthers where Key: LosslessStringConvertible, Row: JSONConvertible & SchemaProviding {
    var forOthers: GivenState {
        if let own = (self as Node) as? Table<String, DescribedRow> {
            return .table(
                own,
                GivenRows(
                    row: { key, commit in commit[own, key]?.value },
                    keys: { commit in Array(commit.rows(of: own).keys) },
                    count: { commit in commit.rowCount(of: own) }))
        }
        let table: ReadableTable<Key, Row> = self
        return .table(
            withKeys({ $0.description }, from: { Key($0) }) { DescribedRow(try $0.tree()) },
            GivenRows(
                row: { name, commit in Key(name).flatMap { commit[table, $0] }.map { (try? $0.tree()) ?? .null } },
                keys: { commit in commit.rows(of: table).keys.map(\.description) },
                count: { commit in commit.rowCount(of: table) }))
    }
}

extension FeatureInstance {
    /// Its state for a feature that is given it, by the names of the variables.
    var forOthers: [String: GivenState] {
        var states: [String: GivenState] = [:]
        for (variable, state) in zip(blueprint.variables, variables) {
            states[variable.label] = (state as? any StateForOthers)?.forOthers
        }
        return states
    }
}
