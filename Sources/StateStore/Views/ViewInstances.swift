/// The watched instances of views, by name. All subscribers share one instance, which exists from the first to the last
/// of them.
struct ViewInstances {
    /// The maximum number of instances in a space.
    static let spaceLimit = 4_096
    /// The maximum number of instances of views of `common` in one store, for all its spaces together.
    static let commonLimit = 65_536

    private(set) var cells: [String: ViewCell] = [:]
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { cells.count }

    subscript(name: String) -> ViewCell? { cells[name] }

    /// Adds an instance, or removes it.
    mutating func note(_ cell: ViewCell, isWatched: Bool) {
        if isWatched {
            cells[cell.name] = cell
        } else if cells[cell.name] === cell {
            cells[cell.name] = nil
        }
    }

    /// Returns a refusal if a subscription to `views` would exceed the limit of instances.
    func refusal(of views: [ViewCell]) -> Refusal? {
        let new = views.count { $0.isInstance && cells[$0.name] == nil }
        return new > 0 && count + new > limit ? .tooManyViews(limit: limit) : nil
    }
}
