/// A reference to a store that does not retain it; nil once the store is released.
///
/// Not a weak reference: an object with a weak reference pays for it at every retain and release.
final class StoreReference {
    private(set) unowned(unsafe) var store: Store?

    /// Refers to a store, which must call `clear` in its deinitializer.
    func refer(to store: Store) {
        self.store = store
    }

    func clear() {
        store = nil
    }
}
