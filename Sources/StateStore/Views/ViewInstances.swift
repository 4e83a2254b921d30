/// The watched instances of views, by name. All subscribers share one instance, which exists from the first to the last
/// of them.
struct ViewInstances {
    /// The maximum number of instances in a space.
    static let spaceLimit = 4_096
    /// The maximum number of instances of views of `common` in one store, for all its spaces together.
    static let commonLimit = 65_536

    /// The maximum number of instances of one personal view.
    static let personalLimit = 1_000

    private(set) var cells: [String: ViewCell] = [:]
    /// The number of instances of each personal view,
    private var personal: [String: Int] = [:]
    /// and that of the rules, which the streams bound.
    private var rulesCount = 0
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { cells.count }

    subscript(name: String) -> ViewCell? { cells[name] }

    /// Adds an instance, or removes it.
    mutating func note(_ cell: ViewCell, isWatched: Bool) {
        if isWatched {
            if cells.updateValue(cell, forKey: cell.name) == nil { add(1, cell) }
        } else if cells[cell.name] === cell {
            cells[cell.name] = nil
            add(-1, cell)
        }
    }

    private mutating func add(_ change: Int, _ cell: ViewCell) {
        switch cell.claimed {
        case nil: break
        case .rule: rulesCount += change
        case .view:
            let count = personal[cell.baseName, default: 0] + change
            personal[cell.baseName] = count == 0 ? nil : count
        }
    }

    /// Returns a refusal if a subscription to `views` would exceed the limit of instances.
    func refusal(of views: [ViewCell]) -> Refusal? {
        let new = views.filter { $0.isInstance && $0.claimed != .rule && cells[$0.name] == nil }
        if new.isEmpty { return nil }
        if count - rulesCount + new.count > limit { return .tooManyViews(limit: limit) }
        for cell in new where cell.claimed == .view {
            let isFull = personal[cell.baseName, default: 0] >= Self.personalLimit
            if isFull { return .tooManyViews(limit: Self.personalLimit) }
        }
        return nil
    }
}
