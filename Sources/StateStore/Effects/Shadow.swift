import Reactive

/// What the effects of a space see of it: its state as far as it is kept, apart from the state that actions go on changing. There is one while the
/// space has work.
final class Shadow {
    private let space: SpaceName
    private unowned let store: Store
    private let features: [FeatureInstance]
    private var version: Int
    private var workers: Workers?

    /// The shadow of a space as it is. Its effects begin when that is kept.
    init(of space: Space) {
        self.space = space.name
        store = space.store
        var states = store.replica.states
        features = store.registry.instances(in: .space, with: &states)
        version = space.version
        become(space.features)
    }

    private func become(_ others: [FeatureInstance]) {
        store.graph.commit { transaction in
            for (one, another) in zip(features, others) { one.become(another, in: &transaction) }
        }
    }

    /// Whether its effects have begun, so that all it knows is kept.
    var isAtWork: Bool { workers != nil }

    /// Notes that a commit is kept.
    func take(_ record: CommitRecord) {
        if record.version > version {
            version = record.version
            store.graph.commit { transaction in
                // The facts were made from this very state, so they can be read.
                for fact in record.facts { try? features.take(fact, in: &transaction) }
            }
        }
        begin()
    }

    /// Notes that the space has come anew, and is as it is kept.
    func take(_ space: Space) {
        if space.version != version {
            version = space.version
            become(space.features)
        }
        begin()
    }

    private func begin() {
        if workers == nil { workers = Workers(features, in: space, of: store, in: store.graph) }
    }
}
