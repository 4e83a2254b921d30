/// The distributor of the changes of rows to those who observe one row each: a change costs its own observers, however
/// many observe other rows.
///
/// As an observable it delivers once, when the rows are known: then each listener takes its row and adds its route.
@usableFromInline
final class RowRouter<Key: Hashable, Row: Equatable>: Observable<Void> {
    @usableFromInline var routes = Routes<Key, Observable<Row?>>()

    /// A router. The rows own it, and are observed while it is active.
    @inlinable
    init(of source: Rows<Key, Row>) {
        super.init(madeBy: "rows") { [unowned source] node in
            let router = unsafe unsafeDowncast(node, to: RowRouter<Key, Row>.self)
            // The rows of a table are known at all times. To replay them would cost O(rows).
            router.listen(
                to: source, wantsReplay: !source.isTable,
                receive: { changes in
                    guard router.latest != nil else { return router.emit(()) }
                    for entry in changes.entries {
                        Routes.forEach(router.routes.routes[entry.key]) { $0.emit(entry.new) }
                    }
                })
            if source.isTable { router.emit(()) }
        }
    }

    @usableFromInline override var takesSlices: Bool { true }

    /// Tells a new listener that the rows are known, if they are.
    @usableFromInline
    override func replay(to listener: (()) -> Void) {
        if latest != nil { listener(()) }
    }
}

/// A node that delivers the row for one key.
package protocol KeyedNode: AnyObject {
    /// The key as text.
    var rowKey: String { get }
}

/// The row for one key.
@usableFromInline
final class RowObservable<Key: Hashable, Row: Equatable>: Observable<Row?>, KeyedNode {
    private let key: Key

    @usableFromInline
    init(_ key: Key, start: @escaping (Observable<Row?>) -> Void) {
        self.key = key
        super.init(madeBy: "row", start: start)
    }

    @usableFromInline package var rowKey: String { "\(key)" }
}

extension Rows {
    /// Delivers the row for one key, nil while there is none. A turn costs the changed rows that are observed, in O(1)
    /// for each, however many rows there are and however many of them are observed.
    ///
    /// A row of filtered, mapped or joined rows is computed from the rows of the same key alone.
    @inlinable
    public func row(_ key: Key) -> Observable<Row?> {
        rowByKey?(key) ?? routedRow(key)
    }

    /// The row for one key, from these rows.
    @inlinable
    func routedRow(_ key: Key) -> Observable<Row?> {
        RowObservable(key) { node in
            let router = self.rowRouter
            node.listen(to: router) { [unowned node] _ in
                let route = router.routes.add(node, for: key)
                node.undo = { router.routes.remove(route) }
                node.emit(self.rows[key])
            }
        }
    }

    /// The router of these rows, made when the first row is observed by key.
    @inlinable
    final var rowRouter: RowRouter<Key, Row> {
        if let router { return router }
        let new = RowRouter(of: self)
        router = new
        return new
    }
}
