import JSON
import StateStore

/// The checks of the names in tests.
enum TestChecks {
    static func check(_ document: FeatureDocument, _ others: [FeatureSummary], _ faults: inout FaultList) {
        for test in document.tests {
            for (step, pointer) in test.steps {
                switch step {
                case .act(let action, _, let space, _, _, _):
                    check(action, document, others, at: pointer.appending("act"), &faults)
                    self.space(space, at: pointer.appending("space"), &faults)
                case .expect(let views, let space):
                    for member in views { view(member.key, document, at: pointer, &faults) }
                    self.space(space, at: pointer.appending("space"), &faults)
                case .after: break
                }
            }
        }
    }

    private static func check(
        _ action: String, _ document: FeatureDocument, _ others: [FeatureSummary], at pointer: JSONPointer,
        _ faults: inout FaultList
    ) {
        let own = document.actions.map(\.name)
        let names = action.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard names.count == 2, names[0] != document.name else {
            if !own.contains(names.last ?? "") { faults.unknown("action", action, own, at: pointer) }
            return
        }
        guard let other = others.first(where: { $0.name == names[0] }) else { return }
        if !other.actions.contains(names[1]) {
            faults.unknown("action", action, other.actions.map { "\(other.name)/\($0)" }, at: pointer)
        }
    }

    private static func view(
        _ name: String, _ document: FeatureDocument, at pointer: JSONPointer, _ faults: inout FaultList
    ) {
        let parts = (name.split(separator: "?").first ?? "").split(separator: ".", maxSplits: 1).map(String.init)
        guard let label = parts.last, parts.count == 1 || parts[0] == document.name else { return }
        let labels = document.views.map(\.name)
        if !labels.contains(label) {
            faults.unknown(
                "view", name, labels.map { "\(document.name).\($0)" }, at: pointer.appending("expect").appending(name))
        }
    }

    private static func space(_ name: String?, at pointer: JSONPointer, _ faults: inout FaultList) {
        if let name, SpaceName(name) == nil {
            faults.add("\(name.prefix(64)) cannot be the name of a space", at: pointer)
        }
    }
}
