package import JSON
import Schemas
import StateModel

/// A document as it is written: its parts with their places, read but not yet compiled.
package struct FeatureDocument: Sendable {
    var name = ""
    var home = Scope.space
    var given: [WrittenName] = []
    var state: [WrittenState] = []
    var actions: [WrittenAction] = []
    var views: [WrittenView] = []
    var schedules: [WrittenSchedule] = []
    var rules = WrittenRules()
    package var tests: [WrittenTest] = []
    var definitions: [WrittenDefinition] = []

    /// The names of the indexes of all tables.
    var indexNames: Set<String> {
        Set(
            state.flatMap { state -> [String] in
                guard case .table(let table) = state.form else { return [] }
                return table.indexes.filter(\.search.isEmpty).map(\.name)
            })
    }

    /// True if there is a rule of the feature, of a view or of an action.
    var hasRules: Bool {
        rules.read != nil || rules.act != nil || views.contains { $0.allow != nil }
            || actions.contains { $0.allow != nil }
    }
    /// The names of stored state that the document drops.
    var drops: [WrittenName] = []
    /// The state that clients may hold.
    var replica: [WrittenReplica] = []

    /// Makes the parts private that a later document made so.
    mutating func withhold(_ later: LaterPrivacy) {
        for index in state.indices { state[index].madePrivate = later.state[state[index].name] ?? .none }
        for index in actions.indices { actions[index].madePrivate = later.inputs[actions[index].name] ?? .none }
    }
}

/// A name with its place.
struct WrittenName: Sendable {
    let name: String
    let pointer: JSONPointer
}

/// An expression with its place.
struct WrittenExpression: Sendable {
    let text: String
    let pointer: JSONPointer
}

/// A variable or a table.
struct WrittenState: Sendable {
    enum WrittenStateForm: Sendable {
        /// A variable and its initial value.
        case value(ValueSchema, initial: JSON)
        case table(WrittenTable)
    }

    let name: String
    let pointer: JSONPointer
    let form: WrittenStateForm
    /// The schema of the value or of a row, as it is written.
    let written: JSON
    /// The parts that later documents made private.
    var madePrivate = PrivateParts.none
    /// The expression that makes a value of this schema from one of an older schema.
    var migrate: WrittenExpression?
    /// The name under which earlier documents stored it.
    var was: WrittenName?
    /// The table that its rows are made from.
    var source: WrittenSource?
    /// True if initial rows that are added later reach spaces that have the table.
    var seedsAlways = false

    /// The schema of the value, or of a row.
    var schema: ValueSchema {
        switch form {
        case .value(let schema, _): schema
        case .table(let table): table.row
        }
    }
}

/// The rows of another table, from which those of a table are made.
struct WrittenSource: Sendable {
    let table: WrittenName
    var condition: WrittenExpression?
    var row: WrittenExpression?
    var key: WrittenExpression?
}

/// An index of a table.
struct WrittenIndex: Sendable {
    let name: String
    let pointer: JSONPointer
    var by: [WrittenExpression] = []
    var sort: [(expression: WrittenExpression, isFalling: Bool)] = []
    var condition: WrittenExpression?
    var isUnique = false
    /// The texts that a full-text index has, the most important first; empty for another index.
    var search: [WrittenExpression] = []
}

/// A table.
struct WrittenTable: Sendable {
    let key: ValueSchema
    let row: ValueSchema
    /// The rows of a space without commits, in the order of the document.
    var initial = JSON.Object()
    var isKept = true
    var isPresence = false
    /// The seconds for which a presence row stays after its last connection.
    var grace = 0
    /// The action that is performed when a presence row goes.
    var onLeave: WrittenName?
    var indexes: [WrittenIndex] = []
}

/// An action.
struct WrittenAction: Sendable {
    let name: String
    let pointer: JSONPointer
    /// The schema of the input, and as it is written.
    var input: ValueSchema
    var inputSchema: JSON
    var lets: [(name: WrittenName, value: WrittenExpression)] = []
    var guards: [WrittenGuard] = []
    var steps: [WrittenStep] = []
    var answer: WrittenExpression?
    var allow: WrittenExpression?
    /// The parts of the input that later documents made private.
    var madePrivate = PrivateParts.none
    /// False if clients do not perform it before the server does.
    var isPredicted = true

    /// The private parts of the input.
    var privateInput: PrivateParts { input.privateParts.union(madePrivate) }
}

/// A guard of an action.
struct WrittenGuard: Sendable {
    let that: WrittenExpression
    let status: Int
    let detail: WrittenExpression
    let pointer: JSONPointer?
}

/// A step of an action, with its place.
struct WrittenStep: Sendable {
    indirect enum WrittenStepForm: Sendable {
        case set(WrittenName, to: WrittenExpression)
        case put(WrittenName, key: WrittenExpression, row: WrittenExpression)
        case update(WrittenName, key: WrittenExpression, with: WrittenExpression)
        case remove(WrittenName, key: WrittenExpression)
        case clear(WrittenName)
        case choice(when: WrittenExpression, then: [WrittenStep], otherwise: [WrittenStep])
        case each(WrittenExpression, name: WrittenName, steps: [WrittenStep])
        case call(WrittenName, with: [(name: WrittenName, value: WrittenExpression)])
    }

    let pointer: JSONPointer
    let form: WrittenStepForm
}

/// An expression or a list of steps with a name and parameters.
struct WrittenDefinition: Sendable {
    enum WrittenDefinitionForm: Sendable {
        case expression(WrittenExpression)
        case steps([WrittenStep])
    }

    let name: String
    let pointer: JSONPointer
    let parameters: [(name: String, schema: ValueSchema)]
    let form: WrittenDefinitionForm
}

/// A view.
struct WrittenView: Sendable {
    enum WrittenViewForm: Sendable {
        case expression(WrittenExpression)
        case query(WrittenQuery)
        case pipeline(JSON)
    }

    let name: String
    let pointer: JSONPointer
    var parameters: [WrittenParameter] = []
    var form: WrittenViewForm
    var allow: WrittenExpression?
    /// True if the view shows private members also where its expressions do not name them.
    var showsPrivate = false
    /// True if clients compute it over the part of a table that they hold.
    var isLocal = false
    /// The seconds of the grain in which it reads the time; nil without one.
    var every: Int?
}

/// A parameter of a view.
struct WrittenParameter: Sendable {
    let name: String
    let schema: ValueSchema
    let written: JSON
}

/// A view of the rows of a table.
struct WrittenQuery: Sendable {
    /// The value that a view computes of its rows.
    enum Fold: String, CaseIterable, Sendable {
        case count, sum, min, max, average
    }

    let table: WrittenName
    var joins: [(table: WrittenName, key: WrittenExpression)] = []
    var condition: WrittenExpression?
    var sort: [(expression: WrittenExpression, isFalling: Bool)] = []
    var limit: Int?
    var select: WrittenExpression?
    var fold: (form: Fold, value: WrittenExpression?)?
    var group: WrittenExpression?
    /// The full-text index that it reads, and the text that it looks for; nil for none.
    var search: (index: WrittenName, text: WrittenExpression)?
}

/// A schedule.
struct WrittenSchedule: Sendable {
    enum WrittenScheduleForm: Sendable {
        case rows(WrittenName, at: WrittenExpression)
        case recurring(Recurrence)
    }

    let name: String
    let pointer: JSONPointer
    let form: WrittenScheduleForm
    let action: WrittenName
    var input: WrittenExpression?
    /// True if missed firings are skipped; otherwise one is made up for.
    var skipsMissed = false
}

/// A variable or a table that clients may hold.
struct WrittenReplica: Sendable {
    let state: WrittenName
    /// The rows that a caller holds: alternatives of conditions over `row`, `key` and `token`; nil for all.
    var condition: WrittenExpression?
    /// The table of whose rows a caller holds those that the rows here belong to,
    var parent: WrittenName?
    /// and the key there to which a row belongs.
    var by: WrittenExpression?
}

/// The rules of a feature.
struct WrittenRules: Sendable {
    var read: WrittenExpression?
    var act: WrittenExpression?
    var edit: WrittenExpression?
}

/// A step of a test with its place, which is that of a fixture if the test uses it.
package typealias PlacedTestStep = (step: WrittenTest.WrittenTestStep, pointer: JSONPointer)

/// A test.
package struct WrittenTest: Sendable {
    package enum WrittenTestStep: Sendable {
        case act(String, input: JSON, space: String?, token: JSON?, refused: JSON.Object?, answer: JSON?)
        case after(seconds: Decimal)
        case expect(JSON.Object, space: String?, token: JSON?)
    }

    package let name: String
    package let pointer: JSONPointer
    package var steps: [PlacedTestStep] = []
}

extension FeatureDocument {
    /// The faults for which a new document is refused, although one that was taken before stays in use.
    var faultsWhenPut: [DocumentFault] {
        var faults: [DocumentFault] = []
        if let fault = ReservedNames.fault(of: name) {
            faults.append(DocumentFault(fault, at: JSONPointer(["feature"])))
        }
        // The memory of a view and that of the schedules have the same name.
        if !schedules.isEmpty, let view = views.first(where: { $0.name == "schedules" }) {
            faults.append(
                DocumentFault("a feature with schedules has no view of this name: choose another", at: view.pointer))
        }
        return faults + NullRows.faults(of: self)
    }
}
