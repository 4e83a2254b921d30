package import JSON

/// A feature that data describes. It has the same parts as one in Swift, and is made in a space as one is: its state
/// consists of variables and tables of JSON, its actions are closures over a commit, its views are observables.
///
/// A description never changes, and all executors share it.
package protocol FeatureDescription: AnyObject, Sendable {
    /// The name, which begins the paths of the actions and views.
    var name: String { get }
    /// The document that describes it; nil for none.
    var source: JSON? { get }
    /// The spaces that hold its state.
    var scope: Scope { get }
    /// The names of the features whose state it reads: features of its own scope or of `common`.
    var given: [String] { get }
    /// The variables and tables.
    var state: [StateDescription] { get }
    /// The actions that clients can perform.
    var actions: [ActionOutline] { get }
    /// The views.
    var views: [ViewOutline] { get }
    /// True if a view depends on the name of its space.
    var readsSpaceName: Bool { get }
    /// The names of what it remembers: of views, and of its schedules. If there are some, `parts` has rememberers.
    var memories: [String] { get }
    /// Returns the time up to which every space has had an alarm of a recurring schedule, if it began them before
    /// `time`; nil if no schedule recurs.
    func latestAlarm(after time: Timestamp) -> Timestamp?
    /// The names of stored state that it drops.
    var drops: [String] { get }
    /// The claims that the rule of all views reads; nil without one.
    var readRule: ClaimSet? { get }
    /// The identity of the rule of all views; nil without one.
    var readGuard: String? { get }
    /// Returns the reasons for which the kept values of an older description may not satisfy this one; empty if each
    /// does, once it has been filled or migrated. The pointers are places in this document.
    func faults(after old: any FeatureDescription) -> [DocumentFault]
    /// The faults for which a new document is refused, although one that was taken before stays in use.
    var faultsWhenPut: [DocumentFault] { get }
    /// The parts that do not do what their author may expect. They are no faults.
    var warnings: [DocumentFault] { get }
    /// The ways to the rows that views, rules and actions read, each an object with a `pointer` into the document and
    /// `index`, `shared` or `walk`.
    var plan: [JSON] { get }
    /// The part of the document that clients need to perform its actions over a replica, without its hash; nil without a
    /// replica.
    var client: JSON? { get }
    /// Returns true if clients perform an action themselves before the server has.
    func isPredicted(_ action: String) -> Bool
    /// Makes the actions and the views in one space, in the order of `actions` and `views`. Called when the feature is
    /// first used in a space, and again when its definition, or that of a feature that it is given, has changed. The
    /// state lives on.
    func parts(in space: DescribedSpace) -> DescribedParts
    /// The indexes of a space that actions read, and those that every commit asks.
    func actionIndexes(of space: DescribedSpace) -> [any SlicedIndex]
    /// Throws if the open transaction of a space leaves two rows in one group of a unique index or, if `checksRows`, has
    /// written a row for which an expression of an index has no value.
    func checkIndexes(_ space: DescribedSpace, checksRows: Bool) throws(Rejection)
}

extension FeatureDescription {
    /// None: all stored state is kept.
    package var drops: [String] { [] }
    /// Nil: no document describes it.
    package var source: JSON? { nil }
    /// Nil: there is no rule for all views.
    package var readRule: ClaimSet? { nil }
    /// Nil: there is no rule for all views.
    package var readGuard: String? { nil }
    /// False: no view depends on the name of its space.
    package var readsSpaceName: Bool { false }
    /// None: no view remembers, and no action is scheduled.
    package var memories: [String] { [] }
    /// Nil: no schedule recurs.
    package func latestAlarm(after time: Timestamp) -> Timestamp? { nil }
    /// None: a new document is taken.
    package var faultsWhenPut: [DocumentFault] { [] }
    /// None.
    package var plan: [JSON] { [] }
    /// Nil: there is no replica.
    package var client: JSON? { nil }
    /// False: there is no replica.
    package func isPredicted(_ action: String) -> Bool { false }
    /// None.
    package var warnings: [DocumentFault] { [] }
    /// None.
    package func actionIndexes(of space: DescribedSpace) -> [any SlicedIndex] { [] }
    /// Nothing: it has no indexes.
    package func checkIndexes(_ space: DescribedSpace, checksRows: Bool) throws(Rejection) {}
    /// None: every kept value satisfies the description.
    package func faults(after old: any FeatureDescription) -> [DocumentFault] { [] }
}

/// A variable or a table of a described feature.
package struct StateDescription: Sendable {
    /// The rows of another table from which those of this one are made.
    package struct RowSource: Sendable {
        /// The name of the other table.
        package let table: String
        /// Returns the key and the row that a row becomes; nil for none.
        package let make: @Sendable (_ key: String, _ row: JSON) throws -> (key: String, row: JSON)?

        package init(
            _ table: String, make: @escaping @Sendable (_ key: String, _ row: JSON) throws -> (key: String, row: JSON)?
        ) {
            (self.table, self.make) = (table, make)
        }
    }

    /// The kind of state.
    package enum StateForm: Sendable {
        /// One value, which begins with an initial one.
        case variable(initial: JSON)
        /// Rows by key, which begin with `initialRows`.
        case table

        /// True for a table.
        package var isTable: Bool { if case .table = self { true } else { false } }
    }

    /// The name in the feature.
    package let label: String
    /// The kind.
    package let form: StateForm
    /// The JSON Schema of the value, or of each row.
    package let schema: JSON
    /// Returns a value, or a row, with the defaults of its missing members.
    package let fill: @Sendable (JSON) -> JSON
    /// Computes a value, or the row of a key, from one that an older description has left; nil if old values are taken
    /// as they are.
    package let migrate: (@Sendable (_ old: JSON, _ key: String?) throws -> JSON)?
    /// The rows of a table in a space whose journal knows none, with the order in which the description has them; empty
    /// for a variable.
    package let initialRows: [String: DescribedRow]
    /// False for a table whose rows are in memory only.
    package let isKept: Bool
    /// The presence of clients in the table; nil for none.
    package let presence: PresenceOutline?
    /// The places of the private parts of the value, or of each row.
    package let privatePlaces: [[String]]
    /// The name under which earlier documents stored it; nil for this one.
    package let was: String?
    /// The table that its rows are made from, once; nil for none.
    package let source: RowSource?
    /// True if initial rows that a document adds later reach spaces that have the table.
    package let seedsAlways: Bool
    /// Returns an old value, or row, with the present names of its members.
    package let rename: (@Sendable (JSON) -> JSON)?
    /// Returns the fault of a value, or of a row; nil if it satisfies the schema. The fault of a computed one shows no part
    /// of it.
    package let fault: @Sendable (_ value: JSON, _ isComputed: Bool) -> String?
    /// Returns the fault of the key of a row; nil if it satisfies the schema of keys.
    package let keyFault: @Sendable (_ key: String) -> String?
    /// Begins a search for rows that a unique index would refuse; nil for a table without unique indexes.
    package let repeated: (@Sendable () -> any RepeatedRowSearch)?

    package init(
        _ label: String, _ form: StateForm, schema: JSON, fill: @escaping @Sendable (JSON) -> JSON = { $0 },
        migrate: (@Sendable (_ old: JSON, _ key: String?) throws -> JSON)? = nil,
        initialRows: JSON.Object = JSON.Object(), isKept: Bool = true, presence: PresenceOutline? = nil,
        privatePlaces: [[String]] = [], was: String? = nil, source: RowSource? = nil, seedsAlways: Bool = false,
        rename: (@Sendable (JSON) -> JSON)? = nil,
        fault: @escaping @Sendable (_ value: JSON, _ isComputed: Bool) -> String? = { _, _ in nil },
        keyFault: @escaping @Sendable (_ key: String) -> String? = { _ in nil },
        repeated: (@Sendable () -> any RepeatedRowSearch)? = nil
    ) {
        self.repeated = repeated
        (self.was, self.source, self.seedsAlways, self.rename) = (was, source, seedsAlways, rename)
        self.keyFault = keyFault
        var rows: [String: DescribedRow] = [:]
        for (index, member) in initialRows.enumerated() {
            rows[member.key] = DescribedRow(member.value, added: FirstAdding(version: 0, index: index))
        }
        (self.initialRows, self.isKept) = (rows, isKept)
        self.presence = presence
        self.privatePlaces = privatePlaces
        (self.label, self.form, self.schema) = (label, form, schema)
        (self.fill, self.migrate, self.fault) = (fill, migrate, fault)
    }
}

/// The facts about an action that hold in every space.
package struct ActionOutline: Sendable {
    /// The name in the feature.
    package let label: String
    /// The JSON Schema of the input.
    package let input: JSON
    /// The JSON Schema of the value that the action answers; nil if it answers none.
    package let output: JSON?
    /// True if the action asks a rule: its own, or that of the feature.
    package let hasRule: Bool
    /// The places of the private parts of the input.
    package let privatePlaces: [[String]]
    /// Returns an input with the present names of its members; nil if no member had another name.
    package let rename: (@Sendable (JSON) -> JSON)?

    package init(
        _ label: String, input: JSON, output: JSON? = nil, hasRule: Bool = false, privatePlaces: [[String]] = [],
        rename: (@Sendable (JSON) -> JSON)? = nil
    ) {
        (self.label, self.input, self.output, self.hasRule) = (label, input, output, hasRule)
        (self.privatePlaces, self.rename) = (privatePlaces, rename)
    }
}

/// The facts about a view that hold in every space.
package struct ViewOutline: Sendable {
    /// The name in the feature.
    package let label: String
    /// The JSON Schema of its values.
    package let value: JSON
    /// The parameters as the JSON Schema of an object: `properties` in the order of their declaration, with their
    /// defaults, and `required`; nil for a view without parameters.
    package let parameters: JSON?
    /// True if the values are lists, of which a request can ask for a window.
    package let isList: Bool
    /// True if the values are computed from the changes of rows: those of a list, or a fold over rows.
    package let isMaintained: Bool
    /// Reads parameters, and returns them with all defaults. The error's pointer names the faulty parameter.
    package let normalize: @Sendable (JSON) throws(JSONError) -> JSON
    /// The claims that the view reads; nil if it is the same for all callers.
    package let claims: ClaimSet?
    /// The claims that its rule, and that of the feature, read; nil without a rule.
    package let rule: ClaimSet?
    /// The places of these rules, for the log.
    package let rules: [String]
    /// False if the view derives from a table whose rows are in memory only.
    package let isKept: Bool
    /// True if the view reads the time.
    package let readsTime: Bool
    /// True if the values show private members, which histories withhold.
    package let showsPrivate: Bool
    /// The private places of the state that are null in what the view reads, as `feature.variable/member`.
    package let hiddenPlaces: Set<String>
    /// The rules behind the view.
    package let guards: ViewGuards
    /// True for the replica of the feature, which only steered streams read.
    package let isReplica: Bool

    package init(
        _ label: String, value: JSON, parameters: JSON? = nil, isList: Bool = false, isMaintained: Bool? = nil,
        claims: ClaimSet? = nil, rule: ClaimSet? = nil, rules: [String] = [], isKept: Bool = true,
        readsTime: Bool = false,
        showsPrivate: Bool = false, hiddenPlaces: Set<String> = [], guards: ViewGuards = ViewGuards(),
        isReplica: Bool = false,
        normalize: @escaping @Sendable (JSON) throws(JSONError) -> JSON = { $0 }
    ) {
        (self.label, self.value, self.parameters, self.isList) = (label, value, parameters, isList)
        self.normalize = normalize
        self.isMaintained = isMaintained ?? isList
        (self.claims, self.rule, self.rules) = (claims, rule, rules)
        self.isReplica = isReplica
        self.readsTime = readsTime
        (self.isKept, self.showsPrivate, self.hiddenPlaces) = (isKept, showsPrivate, hiddenPlaces)
        self.guards = guards
    }
}
