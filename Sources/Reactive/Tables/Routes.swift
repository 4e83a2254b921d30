/// The nodes that receive the changes of one key each, by key.
@usableFromInline
struct Routes<Key: Hashable, Listener: AnyObject> {
    /// One activation of a node, and the key whose changes it receives.
    @usableFromInline
    final class KeyedListener {
        @usableFromInline let key: Key
        @usableFromInline let listener: Listener
        /// True until the node stops.
        @usableFromInline var isLive = true

        @inlinable
        init(_ key: Key, to listener: Listener) {
            self.key = key
            self.listener = listener
        }
    }

    @usableFromInline var routes: [Key: [KeyedListener]] = [:]

    @inlinable init() {}

    /// Adds a route. Returns it, for its removal.
    @inlinable
    mutating func add(_ listener: Listener, for key: Key) -> KeyedListener {
        let route = KeyedListener(key, to: listener)
        routes[key, default: []].append(route)
        return route
    }

    /// Removes a route.
    @inlinable
    mutating func remove(_ route: KeyedListener) {
        route.isLive = false
        routes[route.key]?.removeAll { $0 === route }
        if routes[route.key]?.isEmpty == true { routes[route.key] = nil }
    }

    /// True if a key has a route.
    @inlinable
    func hasRoute(for key: Key) -> Bool { routes[key] != nil }

    /// Calls `body` with the nodes of a key, in the order of their activation. `body` may add and remove routes.
    @inlinable
    static func forEach(_ routes: [KeyedListener]?, _ body: (Listener) -> Void) {
        guard let routes else { return }
        for route in routes where route.isLive { body(route.listener) }
    }
}
