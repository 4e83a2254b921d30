import StateStore

/// The names of the views that can be read in each space.
struct ViewNames {
    private let store: Store

    init(_ store: Store) {
        self.store = store
    }

    /// The features, which change with the documents that `common` holds.
    var registry: Registry { store.registry }

    /// The views that can be read without parameters.
    func all(in space: SpaceName) -> [String] {
        registry.views.map(\.name).filter { registry.hasView($0, in: space) }
    }

    /// The names of the views of a space that have a past.
    func allKept(in space: SpaceName) -> [String] { all(in: space).filter { registry.isKept($0) } }

    /// Returns views of a space as the account of a request reads them.
    func guarded(_ views: [String], in space: SpaceName, _ responder: Responder) -> GuardedViews {
        guard registry.hasRules else { return GuardedViews(views) }
        return registry.guarded(
            views, for: responder.account.caller, isAdmin: responder.account.token.administers(space), in: space)
    }

    func has(_ view: String, in space: SpaceName) -> Bool { registry.hasView(view, in: space) }

    /// Returns the problem of a view that does not exist.
    func noView(_ view: String, in space: SpaceName) -> Problem {
        Problem(
            .noSuchView, "there is no view \(view) in the space \(space): GET /v1 lists all",
            allowed: all(in: space))
    }
}
