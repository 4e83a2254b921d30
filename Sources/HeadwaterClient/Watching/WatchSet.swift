/// The views that somebody watches, counted, with a grace: a view that its last reader leaves stays watched for a while,
/// because a screen that is left and opened again needs it at once.
package struct WatchSet: Sendable {
    /// The time for which a view without readers stays watched.
    package static let grace = Duration.seconds(5)
    /// The maximum number of views of one stream.
    package static let viewsLimit = 1_000

    private struct CountedView {
        let address: ViewAddress
        var count: Int
        /// The end of the grace of a view without readers.
        var end: Duration?
        /// The place in the order of watching.
        let order: Int
    }

    private var entries: [String: CountedView] = [:]
    private var nextOrder = 0

    package init() {}

    /// Adds a reader. Returns true if the view was not watched.
    package mutating func add(_ address: ViewAddress) -> Bool {
        let name = address.description
        guard entries[name] == nil else {
            entries[name]?.count += 1
            entries[name]?.end = nil
            return false
        }
        entries[name] = CountedView(address: address, count: 1, order: nextOrder)
        nextOrder += 1
        return true
    }

    /// Removes a reader.
    package mutating func remove(_ address: ViewAddress, at now: Duration) {
        guard let entry = entries[address.description], entry.count > 0 else { return }
        entries[address.description]?.count -= 1
        if entry.count == 1 { entries[address.description]?.end = now + Self.grace }
    }

    /// Ends the graces that are over. Returns those views.
    package mutating func expire(at now: Duration) -> [ViewAddress] {
        let over = entries.values.filter { $0.end.map { $0 <= now } ?? false }
        for entry in over { entries[entry.address.description] = nil }
        return over.map(\.address)
    }

    /// The time at which the next grace ends.
    package var nextEnd: Duration? { entries.values.compactMap(\.end).min() }

    /// The address of a watched view.
    package subscript(name: String) -> ViewAddress? { entries[name]?.address }

    /// The watched views, those of the beginning first.
    package var names: [String] { entries.sorted { $0.value.order < $1.value.order }.map(\.key) }

    /// True if readers, and not only a grace, keep a view of the space.
    package func isRead(_ name: String) -> Bool { (entries[name]?.count ?? 0) > 0 }

    /// True if nobody watches anything.
    package var isEmpty: Bool { entries.isEmpty }
}
