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
    func answer(ofRulesOf view: String, for viewer: Viewer) -> Observable<Bool>? {
        if let (place, index) = viewPlace(view) {
            guard let instance = wholeInstance(view) else { return nil }
            return self[place.index].answer(index, of: instance.parameters, for: viewer)
        }
        guard let (place, label) = openPlace(ofView: view) else { return nil }
        return self[place].openAnswer(label, for: viewer)
    }
}
