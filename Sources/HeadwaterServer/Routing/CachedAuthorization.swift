import StateStore

/// The result of routing and authorization: a route, a resource, an account and its rights there. It depends on the head
/// of a request alone, so it holds for every request with the same head, as long as the token is good and the
/// features are the same.
final class CachedAuthorization {
    let route: Route
    let resource: Resource
    let account: Account
    let rights: Rights
    /// The kind of path.
    let path: Int
    /// True if the request reads views, so that its route knows the broadcaster after the first answer.
    let readsViews: Bool
    /// The course of a read in a cluster; nil if it does not follow from the head.
    var plan: ReadPlan?
    /// The number of the router's features.
    let edition: Int

    init(_ route: Route, _ resource: Resource, _ account: Account, _ rights: Rights, edition: Int) {
        self.edition = edition
        self.route = route
        self.resource = resource
        self.account = account
        self.rights = rights
        path = resource.row.number
        readsViews = resource.row.traits.contains(.readsViews)
    }
}
