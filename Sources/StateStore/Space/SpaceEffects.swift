/// The start and the end of the effects of a space, which run while it has work for them.
extension Space {
    /// Starts the effects, or ends them if there is no work. All content is durable.
    func updateEffects() {
        guard replicate == nil else { return }
        hasWork = features.hasWork
        guard hasWork, context.owns(name) else { return durableState = nil }
        let copy = durableState ?? copyState()
        durableState = copy
        copy.replace(with: features, at: state.version)
    }

    /// Notes that an action has changed a feature. The commit is not durable yet.
    func noteChange(of feature: FeatureInstance) {
        guard feature.blueprint.hasEffects, replicate == nil else { return }
        hasWork = features.hasWork
        if hasWork, durableState == nil, context.owns(name) { durableState = copyState() }
    }

    /// Notes that a commit of this space is durable.
    func noteStored(_ record: CommitRecord) {
        guard let durableState else { return }
        if !hasWork, isDurable { self.durableState = nil } else { durableState.apply(record) }
    }

    private func copyState() -> DurableState {
        DurableState(of: features, at: state.version, in: name, as: context.features(of: name), host: context)
    }
}
