/// What follows from the head of a request alone, and so holds for every request that begins with the same bytes: what it names, that it may, and whose
/// it is. The token is good until it is withdrawn.
final class CachedAuthorization {
    let route: Route
    let resource: Resource
    let account: Account
    /// The kind of path.
    let path: Int

    init(_ route: Route, _ resource: Resource, _ account: Account) {
        self.route = route
        self.resource = resource
        self.account = account
        path = resource.template
    }
}
