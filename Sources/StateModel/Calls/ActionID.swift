/// The position of an action in every space, for code that performs the action often: `Registry.action` looks it up
/// once.
package final class ActionID: Sendable {
    /// The name of the feature.
    package let feature: String
    /// The name of the action in its feature.
    package let action: String
    /// Both names, as `feature/action`.
    package let name: String
    /// The spaces that the action can be sent to.
    package let scope: Scope
    /// The index of the feature among the features of its scope.
    package let featureIndex: Int
    /// The index of the action among the actions of the feature.
    package let actionIndex: Int
    /// The number of the definition of the feature, which has the action at `actionIndex`.
    package let edition: Int
    /// True if clients can perform the action; false if only effects can.
    let isForClients: Bool
    /// True if the action needs the right `define` in place of `act`.
    package let defines: Bool

    /// An ID with the names only; the store looks up the position.
    package convenience init(feature: String, action: String) {
        self.init(
            feature: feature, action: action, scope: .space, featureIndex: -1, actionIndex: -1, isForClients: false)
    }

    /// False if the names have not been looked up.
    package var isFound: Bool { featureIndex >= 0 }

    init(
        feature: String, action: String, scope: Scope, featureIndex: Int, actionIndex: Int, isForClients: Bool,
        defines: Bool = false, edition: Int = 0
    ) {
        self.feature = feature
        self.action = action
        name = "\(feature)/\(action)"
        self.scope = scope
        self.featureIndex = featureIndex
        self.actionIndex = actionIndex
        self.isForClients = isForClients
        self.defines = defines
        self.edition = edition
    }
}
