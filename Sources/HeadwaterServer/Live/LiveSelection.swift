import StateStore

/// The views that a live stream watches, each once: by their space, and then by their name.
struct LiveSelection: Hashable, Sendable {
    /// The parameters `watch` that one stream may have.
    static let limit = 100

    /// The watched views of one space.
    struct WatchedSpace: Hashable, Sendable {
        let permit: ReadPermit
        var space: SpaceName { permit.space }
        var views: [ViewKey] { permit.names }
    }

    /// The spaces with their views.
    let parts: [WatchedSpace]
    /// The names of all views, `SPACE/feature.view`, in the order of the parts.
    let names: [String]
    /// The index of each part's first view among all views.
    let starts: [Int]

    /// The selection of some views, in whatever order they were asked for. `permit` returns the client's permit for views
    /// of a space; without one there is no selection.
    init?(_ entries: [WatchedView], permit: ([ViewKey], SpaceName) -> ReadPermit?) {
        var parts: [WatchedSpace] = []
        let sorted = Dictionary(grouping: Set(entries), by: \.space)
            .sorted { $0.key.description < $1.key.description }
        for (space, entries) in sorted {
            guard let permit = permit(entries.map(\.view).sorted(), space) else { return nil }
            parts.append(WatchedSpace(permit: permit))
        }
        self.parts = parts
        names = parts.flatMap { part in part.views.map { "\(part.space)/\($0)" } }
        var starts = [0]
        for part in parts.dropLast() { starts.append((starts.last ?? 0) + part.views.count) }
        self.starts = starts
    }
}

/// One watched view.
struct WatchedView: Hashable, Sendable {
    let space: SpaceName
    let view: ViewKey

    init(_ view: ViewKey, in space: SpaceName) {
        self.space = space
        self.view = view
    }
}
