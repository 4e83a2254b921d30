/// The result of routing and permission, which follows from the head of a request alone and so holds for every request
/// with the same head: its route, its resource and its account. It is valid until the token is withdrawn.
final class CachedAuthorization {
    let route: Route
    let resource: Resource
    let account: Account
    /// The kind of path.
    let path: Int
    /// True if the request reads views, so that its route knows the broadcaster after the first answer.
    let readsViews: Bool

    init(_ route: Route, _ resource: Resource, _ account: Account) {
        self.route = route
        self.resource = resource
        self.account = account
        path = resource.template
        readsViews =
            switch resource {
            case .view, .views, .streams, .streamValue: true
            default: false
            }
    }
}
