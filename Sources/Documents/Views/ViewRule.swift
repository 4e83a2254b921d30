import Expressions
import JSON
import Reactive
import StateStore

/// The rules of one view: its own, that of the feature, and those of the views that it reads.
struct ViewRule: Sendable {
    /// The expressions. `parameters` are those of another view; nil for the parameters of the view itself.
    private(set) var all: [(expression: ExpressionView, parameters: JSON?)] = []

    /// The claims that the rules read.
    var claims: ClaimSet {
        let read = all.map { ClaimSet.read(by: [$0.expression.formula]) }
        if read.contains(.all) { return .all }
        var names: [String] = []
        for set in read { for name in set?.names ?? [] where !names.contains(name) { names.append(name) } }
        return ClaimSet(names: names)
    }

    mutating func add(_ expression: ExpressionView, parameters: JSON?) {
        if !all.contains(where: { $0.expression === expression }) { all.append((expression, parameters)) }
    }

    /// Returns the answer in a space: true if all rules are. A rule that fails is false until what it reads changes.
    func answer(in space: DescribedSpace, _ parameters: JSON, _ viewer: Viewer) -> Observable<Bool> {
        let answers = all.map { rule in
            rule.expression.values(in: space, rule.parameters ?? parameters, viewer.caller.token, failing: false)
        }
        return combineLatest(answers).map { answers in answers.allSatisfy { $0 == true } }.removeDuplicates()
    }
}
