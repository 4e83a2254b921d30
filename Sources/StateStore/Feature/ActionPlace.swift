/// Where an action is to be found in every space: looked up by its name once, for whoever performs it often.
public final class ActionPlace: Sendable {
    /// The feature.
    public let feature: String
    /// The action.
    public let action: String
    /// Both, as `feature/action`.
    public let name: String
    /// Where it is to be posted.
    public let home: Feature.Home
    /// Which feature it is, of those of its home,
    let featureIndex: Int
    /// and which action of that.
    let actionIndex: Int
    /// Whether clients are offered it, and not effects alone.
    let isForClients: Bool

    /// The name alone of an action that has yet to be found.
    convenience init(feature: String, action: String) {
        self.init(feature: feature, action: action, home: .space, featureIndex: -1, actionIndex: -1, isForClients: false)
    }

    /// Whether it is known where the action is, and not its name alone.
    var isFound: Bool { featureIndex >= 0 }

    init(feature: String, action: String, home: Feature.Home, featureIndex: Int, actionIndex: Int, isForClients: Bool) {
        self.feature = feature
        self.action = action
        name = "\(feature)/\(action)"
        self.home = home
        self.featureIndex = featureIndex
        self.actionIndex = actionIndex
        self.isForClients = isForClients
    }
}
