import Expressions
import JSON
import Schemas
import StateModel

/// The compiler of schedules.
struct ScheduleCompiler {
    private let document: FeatureDocument
    private let types: StateTypes
    private var formulas = FormulaCompiler()

    private init(_ document: FeatureDocument, _ types: StateTypes) {
        (self.document, self.types) = (document, types)
    }

    /// Returns the schedules of a document.
    static func schedules(
        _ document: FeatureDocument, _ types: StateTypes, _ programs: [String: ActionProgram],
        _ faulty: FaultyParts, _ faults: inout FaultList
    ) -> [CompiledSchedule] {
        var compiler = ScheduleCompiler(document, types)
        var schedules: [CompiledSchedule] = []
        for written in document.schedules where !faulty.contains(written.name, in: "schedules") {
            if let schedule = compiler.schedule(written, programs[written.action.name]) { schedules.append(schedule) }
        }
        for fault in compiler.formulas.faults.all { faults.add(fault) }
        return schedules
    }

    private mutating func schedule(_ written: WrittenSchedule, _ program: ActionProgram?) -> CompiledSchedule? {
        let place = NamePlace.self
        var scope = NameScope().adding("state", types.ownType, at: place.state)
            .adding("given", types.givenType, at: place.given).adding("space", .string, at: place.space)
            .adding("now", .timestamp, at: place.now).adding("newId()", .string, at: place.newID)
            .adding("newSecret()", .string, at: place.newSecret)
            .adding(types.indexes).hiding(types.privateParts).defining(types.definitions)
        let trigger: CompiledSchedule.ScheduleTrigger?
        switch written.form {
        case .rows(let target, let at):
            guard let index = document.state.firstIndex(where: { $0.name == target.name }) else { return nil }
            let state = document.state[index].stateType
            if !state.isKept {
                formulas.faults.add("schedules do not depend on rows that are in memory only", at: target.pointer)
            }
            scope = scope.adding("row", state.type, at: place.row, hiding: state.privateParts)
                .adding("key", .string, at: place.key)
            trigger = times(at, of: index).map { .rows($0) }
        case .recurring(let recurrence):
            trigger = .recurring(recurrence, skipsMissed: written.skipsMissed)
        }
        let input = written.input.flatMap {
            formulas.formula($0, scope, expecting: program?.input.writtenType ?? .dyn)
        }
        guard let trigger, let program else { return nil }
        return CompiledSchedule(
            name: written.name, trigger: trigger, action: written.action.name, program: program, input: input)
    }

    /// Compiles the time of the rows of a table, or of a variable.
    private mutating func times(_ at: WrittenExpression, of index: Int) -> CompiledSchedule.RowTimes? {
        let place = NamePlace.self
        let state = document.state[index].stateType
        var scope = NameScope().adding("space", .string, at: place.space).adding("row", state.type, at: place.row)
        if state.isTable {
            scope = scope.adding("key", .string, at: place.key)
        } else {
            let variables = StateTypes(own: types.own.filter { !$0.isTable }, given: [])
            scope = scope.adding("state", variables.ownType, at: place.state)
        }
        scope = scope.hiding(["row": state.privateParts]).hiding(types.privateParts).defining(types.definitions)
        guard let time = formulas.formula(at, scope) else { return nil }
        if [.bool, .int, .uint, .double, .decimal, .duration].contains(time.type) {
            formulas.faults.add("at is a timestamp, a text of a date and time, or null", at: at.pointer)
        }
        return CompiledSchedule.RowTimes(
            index: index, at: time, variables: state.isTable ? [] : variables(of: time, at: index))
    }

    /// The variables that the time of the variable at `index` reads, with that variable.
    private func variables(of time: CompiledFormula, at index: Int) -> [(index: Int, name: String)] {
        let paths = time.reads.filter { $0.name == "state" }.map(\.steps.first)
        return document.state.enumerated().filter { place, part in
            guard !part.stateType.isTable else { return false }
            return place == index
                || paths.contains { path in
                    // A read of the state as a whole reads all.
                    if case .member(let name)? = path { name == part.name } else { true }
                }
        }.map { ($0, $1.name) }
    }
}
