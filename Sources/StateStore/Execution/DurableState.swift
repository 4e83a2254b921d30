import Reactive

/// The state of a space at its durable version, for its effects. The space's own state may be at a later version.
///
/// It exists while the space has work.
final class DurableState {
    private let space: SpaceName
    private let host: any EffectHost
    private let features: FeatureSet
    private var version: Int
    private var runner: EffectRunner?

    /// A copy of the state that the effects of a space use. The effects start when `version` is durable. Precondition:
    /// no instance of `features` exists yet.
    init(
        of others: FeatureSet, at version: Int, in space: SpaceName, as features: FeatureSet, host: any EffectHost
    ) {
        self.space = space
        self.host = host
        self.features = features
        self.version = version
        copy(others)
    }

    private func copy(_ others: FeatureSet) {
        host.graph.commit { transaction in features.becomeForEffects(others, in: &transaction) }
    }

    /// True if its effects have started: then its whole content is durable.
    var isRunning: Bool { runner != nil }

    /// Applies a commit that is durable.
    func apply(_ record: CommitRecord) {
        if record.version > version {
            version = record.version
            host.graph.commit { transaction in
                // This program encoded the facts from the same state, so decoding them succeeds.
                for fact in record.facts { try? features.takeForEffects(fact, in: &transaction) }
            }
        }
        start()
    }

    /// Copies the state of the space, which is durable at `version`.
    func replace(with others: FeatureSet, at version: Int) {
        if version != self.version {
            self.version = version
            copy(others)
        }
        start()
    }

    private func start() {
        if runner == nil { runner = EffectRunner(features, in: space, of: host) }
    }
}
