import JSON
import StateModel

/// The checks of the names in tests.
enum TestChecks {
    static func check(
        _ document: FeatureDocument, _ faulty: FaultyParts, _ others: [FeatureSummary], _ faults: inout FaultList
    ) {
        let actions = faulty.names(in: "actions").union(document.actions.map(\.name)).sorted()
        let views = faulty.names(in: "views").union(document.views.map(\.name)).sorted()
        for test in document.tests {
            for (step, pointer) in test.steps {
                switch step {
                case .act(let action, _, let space, _, _, _):
                    check(action, actions, of: document.name, others, at: pointer.appending("act"), &faults)
                    self.space(space, at: pointer.appending("space"), &faults)
                case .expect(let values, let space, _):
                    for member in values { view(member.key, views, of: document.name, at: pointer, &faults) }
                    self.space(space, at: pointer.appending("space"), &faults)
                case .after: break
                }
            }
        }
    }

    private static func check(
        _ action: String, _ own: [String], of feature: String, _ others: [FeatureSummary], at pointer: JSONPointer,
        _ faults: inout FaultList
    ) {
        let names = action.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard names.count == 2, names[0] != feature else {
            if !own.contains(names.last ?? "") { faults.unknown("action", action, own, at: pointer) }
            return
        }
        guard let other = others.first(where: { $0.name == names[0] }) else { return }
        if !other.actions.contains(names[1]) {
            faults.unknown("action", action, other.actions.map { "\(other.name)/\($0)" }, at: pointer)
        }
    }

    private static func view(
        _ name: String, _ labels: [String], of feature: String, at pointer: JSONPointer, _ faults: inout FaultList
    ) {
        let parts = (name.split(separator: "?").first ?? "").split(separator: ".", maxSplits: 1).map(String.init)
        guard let label = parts.last, parts.count == 1 || parts[0] == feature else { return }
        if !labels.contains(label) {
            faults.unknown(
                "view", name, labels.map { "\(feature).\($0)" }, at: pointer.appending("expect").appending(name))
        }
    }

    private static func space(_ name: String?, at pointer: JSONPointer, _ faults: inout FaultList) {
        if let name, SpaceName(name) == nil {
            faults.add("\(name.prefix(64)) cannot be the name of a space", at: pointer)
        }
    }
}
