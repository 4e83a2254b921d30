/// The instances of views that are watched, by name: one for all subscribers, from the first to the last.
struct ViewInstances {
    /// The instances of a space at most.
    static let spaceLimit = 4_096
    /// The instances of views of `common` in one store at most, which all spaces of the store share.
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

    /// Returns the refusal of a subscription to views, if it would make more instances than there can be.
    func refusal(of views: [ViewCell]) -> Refusal? {
        let new = views.count { $0.isInstance && cells[$0.name] == nil }
        return new > 0 && count + new > limit ? .tooManyViews(limit: limit) : nil
    }
}
