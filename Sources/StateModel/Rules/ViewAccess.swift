/// The claims on which a view depends: its value, and the answer of its rules.
package struct ViewAccess: Hashable, Sendable {
    /// The claims that the view reads; nil for a view that is the same for all.
    let view: ClaimSet?
    /// The claims that its rule and that of its feature read; nil without a rule.
    package let rule: ClaimSet?

    /// The claims of a view, of its rule, and of the rule of its feature; nil if the view depends on none of them.
    init?(view: ClaimSet?, rule: ClaimSet?, ofFeature common: ClaimSet? = nil) {
        let rules = [rule, common].compactMap(\.self)
        guard view != nil || !rules.isEmpty else { return nil }
        self.view = view
        self.rule = rules.isEmpty ? nil : rules.reduce(.none) { $0.union($1) }
    }
}
