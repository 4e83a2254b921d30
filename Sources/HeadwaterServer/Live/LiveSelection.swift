import StateStore

/// The views that a live stream watches, each once: by their space, and then by their name.
struct LiveSelection: Hashable, Sendable {
    /// The parameters `watch` that one stream may have.
    static let limit = 100

    /// The watched views of one space.
    struct WatchedSpace: Hashable, Sendable {
        let space: SpaceName
        let guarded: GuardedViews
        var views: [String] { guarded.names }
    }

    /// One watched view.
    struct WatchedView: Hashable, Sendable {
        let space: SpaceName
        let view: String

        init(_ view: String, in space: SpaceName) {
            self.space = space
            self.view = view
        }
    }

    /// The spaces with their views.
    let parts: [WatchedSpace]
    /// The names of all views, `SPACE/feature.view`, in the order of the parts.
    let names: [String]
    /// The index of each part's first view among all views.
    let starts: [Int]

    /// The selection of some views, in whatever order they were asked for.
    /// `guarding` returns views of a space as the client reads them.
    init(
        _ entries: [WatchedView], guarding: ([String], SpaceName) -> GuardedViews = { views, _ in GuardedViews(views) }
    ) {
        let sorted = Dictionary(grouping: Set(entries), by: \.space)
            .sorted { $0.key.description < $1.key.description }
        parts = sorted.map { WatchedSpace(space: $0.key, guarded: guarding($0.value.map(\.view).sorted(), $0.key)) }
        names = parts.flatMap { part in part.views.map { "\(part.space)/\($0)" } }
        var starts = [0]
        for part in parts.dropLast() { starts.append((starts.last ?? 0) + part.views.count) }
        self.starts = starts
    }
}
