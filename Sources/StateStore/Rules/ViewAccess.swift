/// The claims on which a view depends: its value, and the answer of its rules.
struct ViewAccess: Sendable {
    /// The claims that the view reads; nil for a view that is the same for all.
    let view: ClaimSet?
    /// The claims that its rule and that of its feature read; nil without a rule.
    let rule: ClaimSet?
}
