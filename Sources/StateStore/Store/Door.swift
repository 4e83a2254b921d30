/// Where those find a store who must not keep it; it is empty when the store has gone. Not a weak reference, because an object that has one pays
/// for it whenever its references are counted.
final class Door {
    fileprivate(set) unowned(unsafe) var store: Store?
}

extension Door {
    /// Opens it onto a store, which must close it when it goes.
    func open(to store: Store) {
        self.store = store
    }

    /// Closes it.
    func close() {
        store = nil
    }
}
