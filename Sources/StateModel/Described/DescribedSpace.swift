package import JSON
package import Reactive

/// The surroundings of a described feature in one space.
package struct DescribedSpace {
    /// The name of the space.
    package let name: String
    /// The end of the names of its variables in facts, empty unless an earlier feature of the same name has left state.
    package let keySuffix: String
    /// Its own state, in the order of `FeatureDescription.state`.
    package let state: [DescribedState]
    /// The state of the features that it is given, by their names and the names of their variables.
    package let given: [String: [String: GivenState]]
    /// All views that it can derive from.
    package let views: SpaceViews
    /// The variables that hold what it remembers, by the names of `FeatureDescription.memories`.
    package let memories: [String: String]
    /// The time that its views read.
    package let clock: SpaceClock
    /// The indexes of its tables, and of those that it is given.
    package let indexes = SpaceIndexes()
}

/// A variable or a table of a described feature in one space.
package enum DescribedState {
    case variable(Variable<JSON>)
    case table(Table<String, DescribedRow>)
}

/// A variable or a table of another feature, for reading and deriving only.
package enum GivenState {
    /// A variable: its values, and its value within an action.
    case variable(Observable<JSON>, read: (borrowing Commit) -> JSON)
    /// A table: its rows, and reads within an action.
    case table(Rows<String, DescribedRow>, GivenRows)
}

/// Reads of another feature's table within an action.
package struct GivenRows {
    /// The row of a key.
    package let row: (String, borrowing Commit) -> JSON?
    /// The keys of all rows, in O(rows).
    package let keys: (borrowing Commit) -> [String]
    /// The number of rows.
    package let count: (borrowing Commit) -> Int
}

/// The actions and the views of a described feature in one space.
package struct DescribedParts {
    /// Performs an action with its input, and returns the value that it answers.
    package typealias Perform = (JSON, inout Commit) throws(Rejection) -> JSON?
    /// Makes the answer of the rules of a view for some parameters: of its own rule and that of the feature.
    package typealias MakeAnswer = (JSON, Viewer) -> Observable<Bool>
    /// Makes a view that reads claims, for some parameters and a viewer.
    package typealias MakePersonalView = (JSON, Viewer) -> DescribedValues
    /// Makes the view for some parameters, which have all defaults. A view without parameters is made once.
    package typealias MakeView = (JSON) -> DescribedValues

    /// The actions, in the order of `FeatureDescription.actions`. Each asks its rules first, unless the caller of the
    /// commit is the server itself, and throws `Rejection.forbidden`.
    package let actions: [Perform]
    /// The views, in the order of `FeatureDescription.views`.
    package let views: [MakeView]
    /// The views that remember, and the schedules.
    package let rememberers: [any Rememberer]
    /// The rules of the views that have some, by the index of the view.
    package let rules: [Int: MakeAnswer]
    /// The rule of all views, which is also that of features that are given the state; nil for none.
    package let readRule: MakeAnswer?
    /// The rule for all actions, which presence asks; nil for none.
    package let actRule: ActRule?
    /// The rule for edits by administrators; nil for none.
    package let editRule: ActRule?
    /// The views that read claims, by index; `views` has a placeholder for each.
    package let personalViews: [Int: MakePersonalView]

    package init(
        actions: [Perform], views: [MakeView], rememberers: [any Rememberer] = [], rules: [Int: MakeAnswer] = [:],
        personalViews: [Int: MakePersonalView] = [:], readRule: MakeAnswer? = nil, actRule: ActRule? = nil,
        editRule: ActRule? = nil
    ) {
        self.editRule = editRule
        (self.actions, self.views, self.rememberers) = (actions, views, rememberers)
        (self.rules, self.personalViews, self.readRule, self.actRule) = (rules, personalViews, readRule, actRule)
    }
}

/// The values of a view.
package enum DescribedValues {
    /// Values of any kind.
    case value(Observable<JSON>)
    /// A list that is maintained by row.
    case list(OrderedRows<String, JSON>)
}

/// The indexes that a feature has of its tables, and of those that it is given, in one space. Each is made when it is first
/// asked for, and goes with the feature.
package final class SpaceIndexes {
    /// An index of one table.
    private struct HeldIndex {
        /// The definition, which lives as long as the index.
        let definition: AnyObject
        let table: ObjectIdentifier
        let index: AnyObject
        let rows: TableFollower<String, DescribedRow>
    }

    private var all: [ObjectIdentifier: [HeldIndex]] = [:]

    package init() {}

    deinit {
        for held in all.values.joined() { held.rows.detach() }
    }

    /// Returns the index of a table by a definition, which `make` makes the first time.
    package func index<Index: AnyObject>(
        by definition: AnyObject, of table: ReadableTable<String, DescribedRow>,
        _ make: () -> (Index, TableFollower<String, DescribedRow>)
    ) -> Index {
        let id = ObjectIdentifier(definition)
        for held in all[id] ?? [] where held.table == ObjectIdentifier(table) {
            if let index = held.index as? Index { return index }
        }
        let (index, rows) = make()
        all[id, default: []].append(
            HeldIndex(definition: definition, table: ObjectIdentifier(table), index: index, rows: rows))
        return index
    }

    /// The estimated bytes of all indexes.
    package var bytes: Int { all.isEmpty ? 0 : all.values.joined().reduce(0) { $0 + $1.rows.bytes } }
}
