import Expressions
import JSON
import Schemas
import StateStore

/// The compiler of schedules.
enum ScheduleCompiler {
    /// Returns the schedules for rows and variables.
    static func schedules(
        _ document: FeatureDocument, _ types: StateTypes, _ programs: [String: ActionProgram],
        _ faulty: FaultyParts, _ faults: inout FaultList
    ) -> [CompiledSchedule] {
        var formulas = FormulaCompiler()
        var schedules: [CompiledSchedule] = []
        for written in document.schedules where !faulty.contains(written.name, in: "schedules") {
            guard case .rows(let target, let at) = written.form,
                let index = document.state.firstIndex(where: { $0.name == target.name })
            else { continue }
            let state = document.state[index].stateType
            if !state.isKept {
                faults.add("schedules do not depend on rows that are in memory only", at: target.pointer)
            }
            let place = NamePlace.self
            var scope = NameScope().adding("space", .string, at: place.space)
                .adding("row", state.type, at: place.row)
            if state.isTable {
                scope = scope.adding("key", .string, at: place.key)
            } else {
                let variables = StateTypes(own: types.own.filter { !$0.isTable }, given: [])
                scope = scope.adding("state", variables.ownType, at: place.state)
            }
            scope = scope.hiding(["row": state.privateParts]).hiding(types.privateParts)
            let time = formulas.formula(at, scope)
            if let time, [.bool, .int, .uint, .double, .decimal, .duration].contains(time.type) {
                formulas.faults.add("at is a timestamp, a text of a date and time, or null", at: at.pointer)
            }
            let inputScope = NameScope().adding("state", types.ownType, at: place.state)
                .adding("given", types.givenType, at: place.given).adding("space", .string, at: place.space)
                .adding("now", .timestamp, at: place.now).adding("newId()", .string, at: place.newID)
                .adding("row", state.type, at: place.row, hiding: state.privateParts)
                .adding("key", .string, at: place.key).hiding(types.privateParts)
            let program = programs[written.action.name]
            let input = written.input.flatMap {
                formulas.formula($0, inputScope, expecting: program?.input.writtenType ?? .dyn)
            }
            guard let time, let program else { continue }
            schedules.append(
                CompiledSchedule(
                    name: written.name, index: index, at: time, action: written.action.name, program: program,
                    input: input, variables: state.isTable ? [] : variables(of: time, at: index, in: document)))
        }
        for fault in formulas.faults.all { faults.add(fault) }
        return schedules
    }

    /// The variables that the time of the variable at `index` reads, with that variable.
    private static func variables(
        of time: CompiledFormula, at index: Int, in document: FeatureDocument
    ) -> [(index: Int, name: String)] {
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
