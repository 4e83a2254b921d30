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
