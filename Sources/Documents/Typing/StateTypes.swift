import Expressions
import JSON
import Schemas
import StateModel

/// A variable or a table, as expressions see it.
struct StateType: Sendable {
    let label: String
    let isTable: Bool
    /// The type of the value, or of a row.
    let type: ExpressionType
    /// False for a table whose rows are in memory only.
    var isKept = true
    /// The private parts of the value, or of each row.
    var privateParts = PrivateParts.none

    /// The type of the whole.
    var whole: ExpressionType { isTable ? .map(key: .string, value: type) : type }

    /// The private parts of the whole.
    var wholePrivateParts: PrivateParts { isTable ? PrivateParts(members: [:], others: privateParts) : privateParts }
}

/// The state that the expressions of a document may read.
struct StateTypes: Sendable {
    let own: [StateType]
    let given: [(feature: String, state: [StateType])]
    /// The indexes of the own tables.
    var indexes: [StateIndex] = []
    /// The full-text indexes of the own tables.
    var searches: [CompiledSearch] = []
    /// The definitions that expressions and steps may use.
    var definitions = DocumentDefinitions()

    var ownType: ExpressionType { Self.object(own) }

    var givenType: ExpressionType {
        .object(ObjectType(given.map { .init($0.feature, Self.object($0.state)) }))
    }

    /// The private parts of `state` and `given`.
    var privateParts: [String: PrivateParts] {
        [
            "state": Self.parts(own),
            "given": PrivateParts(
                members: Dictionary(
                    given.map { ($0.feature, Self.parts($0.state)) }, uniquingKeysWith: { first, _ in first })),
        ]
    }

    private static func parts(_ state: [StateType]) -> PrivateParts {
        PrivateParts(
            members: Dictionary(
                state.map { ($0.label, $0.wholePrivateParts) }, uniquingKeysWith: { first, _ in first }))
    }

    private static func object(_ state: [StateType]) -> ExpressionType {
        .object(ObjectType(state.map { .init($0.label, $0.whole) }))
    }

    /// Returns the state that a path of an expression begins with.
    func state(_ read: ExpressionRead) -> (feature: String?, state: StateType)? {
        switch (read.name, read.steps.first) {
        case ("state", .member(let label)?):
            return own.first { $0.label == label }.map { (nil, $0) }
        case ("given", .member(let feature)?):
            guard read.steps.count > 1, case .member(let label) = read.steps[1] else { return nil }
            return given.first { $0.feature == feature }?.state.first { $0.label == label }.map { (feature, $0) }
        default: return nil
        }
    }
}

extension WrittenState {
    var stateType: StateType {
        switch form {
        case .value(let schema, _):
            StateType(
                label: name, isTable: false, type: schema.type, privateParts: schema.privateParts.union(madePrivate))
        case .table(let table):
            StateType(
                label: name, isTable: true, type: table.row.type, isKept: table.isKept,
                privateParts: table.row.privateParts.union(madePrivate))
        }
    }
}

extension ValueSchema {
    /// The private parts of its values.
    var privateParts: PrivateParts { PrivateParts(privatePlaces.map(\.tokens)) }
}
