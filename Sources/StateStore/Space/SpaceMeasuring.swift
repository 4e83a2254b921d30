import StateModel

extension Space {
    /// The size of the stored state, which is measured at the first call: in O(state), and later in O(1).
    func measuredSize() -> SpaceSize {
        if let size { return size }
        let measured = features.size
        size = measured
        return measured
    }

    /// Returns the quota that the space would exceed with the facts of the open transaction. Without quotas, and before the
    /// size was asked for, it looks at nothing.
    func quotaRefusal(of facts: Facts, by changed: [FeatureInstance]) -> Refusal? {
        nextSize = nil
        guard context.quota.isSet || size != nil, !facts.isEmpty else { return nil }
        let before = measuredSize()
        let after = changed.reduce(before) { $0 + $1.growth(by: facts) }
        // `common` is the operator's own.
        if name != .common, let excess = context.quota.excess(from: before, to: after) { return .overQuota(excess) }
        nextSize = after
        return nil
    }

    /// Takes the size after a commit. One that no quota has looked at is measured when the size is next asked for.
    func takeNextSize(after facts: Facts) {
        if facts.contains(where: { !Fact.isMemory($0.variable) }) { size = nextSize }
        nextSize = nil
    }
}
