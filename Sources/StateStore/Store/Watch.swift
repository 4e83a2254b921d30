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

extension Store {
    /// Watches views. A refusal arrives after this returns: a subscriber that stores the watch never stores one that has
    /// already ended.
    public func watch(
        _ views: [String], in name: SpaceName, _ receive: @escaping (Result<Watch.News, Refusal>) -> Void
    ) -> Watch {
        watch(views, in: name, Onlooker(receive))
    }
}
