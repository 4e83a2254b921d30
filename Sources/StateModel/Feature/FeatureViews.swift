/// The views of a feature in one space.
final class FeatureViews {
    /// The views that the view model stores, in the order of the blueprint.
    let stored: [any StoredView]
    /// The model itself, if the state defines further views.
    let open: (any OpenViewModel)?
    /// The rule of all views; nil for none.
    let rule: ReadRule?
    /// The named operators of the view model; nil for none.
    var operators: NamedOperators?

    init(_ stored: [any StoredView], open: (any OpenViewModel)? = nil, rule: ReadRule? = nil) {
        self.stored = stored
        self.open = open
        self.rule = rule
    }
}
