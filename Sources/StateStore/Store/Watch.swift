/// Somebody's watch of some views of a space: they are told the values of all, then, for each moment in which some of them changed, those. It
/// ends when it is cancelled or released.
public final class Watch {
    /// What is told: views that changed, by name, all as of one moment.
    public typealias News = [(view: String, frame: Frame)]

    private let onlooker: Onlooker
    /// Kept, so that the store outlives all that is watched in it.
    private let store: Store

    init(_ onlooker: Onlooker, of store: Store) {
        self.onlooker = onlooker
        self.store = store
    }

    deinit {
        onlooker.cancel()
    }

    /// Ends it.
    public func cancel() {
        onlooker.cancel()
    }
}
