/// The rules behind a view, as identities: a rule with another text, or in another feature, is another one.
package struct ViewGuards: Hashable, Sendable {
    /// The identities of the rules of the view itself, and of the views of its feature that it reads.
    package var own: Set<String> = []
    /// The views of other features whose rules apply too, as `feature.view`.
    package var views: Set<ViewKey> = []
    /// The features whose rule of all views applies too.
    package var features: Set<String> = []

    /// No rule.
    package init() {}
}
