import JSON
import Reactive

// The views that depend on the caller, and the rules of views.

extension FeatureSet {
    /// The view, or the answer of a rule, that a name for one viewer means.
    func view(of name: ClaimedName) -> (any View)? {
        switch name.kind {
        case .rule: return answer(ofRulesOf: name.view, for: name.viewer)
        case .view:
            guard let (place, index) = viewPlace(name.view), let instance = wholeInstance(name.view) else { return nil }
            return self[place.index].view(index, of: instance, for: name.viewer, key)
        }
    }

    /// The answer of the rules of a view for a viewer; nil if these features do not have the view, or it has no rule.
    package func answer(ofRulesOf view: String, for viewer: Viewer) -> Observable<Bool>? {
        if let (place, index) = viewPlace(view) {
            guard let instance = wholeInstance(view) else { return nil }
            let own = self[place.index].answer(index, of: instance.parameters, for: viewer)
            let given = catalog.givenRules(of: catalog.blueprints(in: scope)[place.index])
            return Self.all([own] + given.map { answer(ofRuleOf: $0, for: viewer) })
        }
        guard let (place, label) = openPlace(ofView: view) else { return nil }
        return self[place].openAnswer(label, for: viewer)
    }

    /// The answer of the rule of all views of a feature for a viewer; nil if it has none.
    func answer(ofRuleOf place: FeaturePlace, for viewer: Viewer) -> Observable<Bool>? {
        guard place.scope != scope else { return self[place.index].answer(ofFeature: viewer) }
        return common?[place.index].answer(ofFeature: viewer.inCommon)
    }

    private static func all(_ answers: [Observable<Bool>?]) -> Observable<Bool>? {
        let answers = answers.compactMap(\.self)
        return answers.count < 2 ? answers.first : combineLatest(answers).map { $0.allSatisfy(\.self) }
    }
}
