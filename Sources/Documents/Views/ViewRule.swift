import Expressions
import JSON
import Reactive
import StateStore

/// The rules of one view: its own, that of the feature, and those of the views that it reads.
struct ViewRule: Sendable {
    /// The expressions. `parameters` are those of another view; nil for the parameters of the view itself.
    private(set) var all: [(expression: ExpressionView, parameters: JSON?)] = []
    /// The views of other features whose rules apply too, with the claims that these read.
    private(set) var others: [(name: String, claims: ClaimSet)] = []
    /// The given features whose rule applies too, with the claims that these read.
    private(set) var features: [(name: String, claims: ClaimSet)] = []

    /// True if there is no rule.
    var isEmpty: Bool { all.isEmpty && others.isEmpty && features.isEmpty }

    /// The claims that the rules read.
    var claims: ClaimSet {
        let read =
            all.compactMap { ClaimSet.read(by: [$0.expression.formula]) } + others.map(\.claims)
            + features.map(\.claims)
        return read.reduce(.none) { $0.union($1) }
    }

    /// The places of the rules of a view of a feature, for the log.
    func places(in feature: String) -> [String] {
        var places: [String] = []
        for (expression, _) in all {
            let place = "\(feature)#\(expression.formula.pointer)"
            if !places.contains(place) { places.append(place) }
        }
        return places + others.map(\.name)
    }

    mutating func add(_ expression: ExpressionView, parameters: JSON?) {
        if !all.contains(where: { $0.expression === expression && $0.parameters == parameters }) {
            all.append((expression, parameters))
        }
    }

    mutating func add(rulesOf name: String, reading claims: ClaimSet) {
        if !others.contains(where: { $0.name == name }) { others.append((name, claims)) }
    }

    mutating func add(ruleOfFeature name: String, reading claims: ClaimSet) {
        if !features.contains(where: { $0.name == name }) { features.append((name, claims)) }
    }

    /// Returns the answer in a space: true if all rules are. A rule that fails is false until what it reads changes.
    func answer(in space: DescribedSpace, _ parameters: JSON, _ viewer: Viewer) -> Observable<Bool> {
        let answers = all.map { rule in
            rule.expression.values(in: space, rule.parameters ?? parameters, viewer.caller.token, failing: false)
        }
        let own = answers.map { answer in answer.map { $0 == true } }
        let all =
            own + others.compactMap { space.views.answer(ofRulesOf: $0.name, for: viewer) }
            + features.compactMap { space.views.answer(ofRuleOfFeature: $0.name, for: viewer) }
        guard !all.isEmpty else { return .just(true) }
        return combineLatest(all).map { answers in answers.allSatisfy(\.self) }.removeDuplicates()
    }
}
