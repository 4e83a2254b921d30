import JSON
import StateModel

/// The checks of a document that need no types: of names, and of what is kept.
enum NameChecks {
    static func check(_ document: FeatureDocument, _ faulty: FaultyParts, _ faults: inout FaultList) {
        let states = faulty.names(in: "state").union(document.state.map(\.name))
        let actions = faulty.names(in: "actions").union(document.actions.map(\.name)).sorted()
        for schedule in document.schedules {
            if case .rows(let target, _) = schedule.form, !states.contains(target.name) {
                faults.unknown("table or variable", target.name, states.sorted(), at: target.pointer)
            }
            action(schedule.action, actions, &faults)
        }
        for state in document.state {
            if case .table(let table) = state.form, let name = table.onLeave { action(name, actions, &faults) }
        }
        mixedWrites(document, &faults)
    }

    /// A feature cannot have a name that commits of the server begin with.
    static func checkName(_ document: FeatureDocument, _ faults: inout FaultList) {
        if let fault = ReservedNames.fault(inCommits: document.name) { faults.add(fault, at: JSONPointer(["feature"])) }
    }

    /// A feature in common keeps all its tables.
    static func checkKeeping(_ document: FeatureDocument, _ faults: inout FaultList) {
        guard document.home == .common else { return }
        for state in document.state {
            if case .table(let table) = state.form, !table.isKept {
                faults.add("tables in common are kept", at: state.pointer.appending("kept"))
            }
        }
    }

    private static func action(_ name: WrittenName, _ names: [String], _ faults: inout FaultList) {
        if !names.contains(name.name) { faults.unknown("action", name.name, names, at: name.pointer) }
    }

    /// An action writes kept or unkept tables, never both.
    private static func mixedWrites(_ document: FeatureDocument, _ faults: inout FaultList) {
        var kept: [String: Bool] = [:]
        for state in document.state {
            if case .table(let table) = state.form { kept[state.name] = table.isKept } else { kept[state.name] = true }
        }
        for action in document.actions {
            let written = Set(document.targets(of: action.steps).compactMap { kept[$0] })
            if written.count > 1 {
                faults.add(
                    "an action writes kept state or tables with \"kept\": false, not both",
                    at: action.pointer.appending("do"))
            }
        }
    }
}

extension FeatureDocument {
    /// The names of the variables and tables that steps write, with those of the definitions that they call.
    func targets(of steps: [WrittenStep]) -> [String] {
        var targets = steps.flatMap(\.targets)
        var waiting = steps.flatMap(\.calls)
        var seen: Set<String> = []
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let definition = definitions.first(where: { $0.name == name }) else {
                continue
            }
            targets += definition.steps.flatMap(\.targets)
            waiting += definition.steps.flatMap(\.calls)
        }
        return targets
    }
}

extension WrittenStep {
    /// The names of the variables and tables that it writes.
    var targets: [String] {
        switch form {
        case .set(let name, _), .put(let name, _, _), .update(let name, _, _), .remove(let name, _), .clear(let name):
            [name.name]
        case .choice(_, let then, let otherwise): (then + otherwise).flatMap(\.targets)
        case .each(_, _, let steps): steps.flatMap(\.targets)
        case .call: []
        }
    }
}
