import JSON

/// The limits of the size of one space: of its commits, of its memory, and the quotas of the operator.
extension Space {
    /// Returns the reason to refuse a commit because of its size: its facts exceed the limit of a commit, the space has
    /// reached its limit of memory and the commit would make it grow, or it would exceed a quota. Without quotas, far from
    /// the limit, it looks at the size of the facts only. Precondition: the draft with the facts is not published.
    @inline(__always)
    func refusal(
        ofSizeOf facts: Facts, by changed: some Collection<FeatureInstance>, isOfAnySize: Bool = false
    ) -> Refusal? {
        let bytes = facts.size
        if bytes > Facts.sizeLimit, !isOfAnySize { return .commitTooLarge(bytes: bytes) }
        nextSize = nil
        guard context.quota.isSet || size != nil || isNearLimit(with: bytes, facts: facts.count), !facts.isEmpty
        else { return nil }
        return refusal(
            ofGrowth: changed.reduce(SpaceSize()) { $0 + $1.growth(by: facts) }, bytes, facts: facts.count)
    }

    /// Returns the reason to refuse changes of rows in memory only. Quotas are about what is stored.
    func refusal(ofUnkept features: [FeatureInstance]) -> Refusal? {
        guard isNearLimit(with: 0, facts: 0) else { return nil }
        var (growth, bytes) = (SpaceSize(), 0)
        for feature in features {
            let facts = Facts(feature.unkeptFacts ?? [])
            growth = growth + feature.growth(by: facts)
            bytes += facts.size
        }
        return refusal(ofMemoryFor: growth, bytes, facts: 0)
    }

    private func refusal(ofGrowth growth: SpaceSize, _ bytes: Int, facts: Int) -> Refusal? {
        if let refusal = refusal(ofMemoryFor: growth, bytes, facts: facts) { return refusal }
        guard context.quota.isSet || size != nil else { return nil }
        let before = measuredSize()
        // `common` is the operator's own.
        if name != .common, let excess = context.quota.excess(from: before, to: before + growth) {
            return .overQuota(excess)
        }
        nextSize = before + growth
        return nil
    }

    /// Returns a refusal if a commit whose facts have some bytes would make a space grow that has its limit of memory.
    private func refusal(ofMemoryFor growth: SpaceSize, _ bytes: Int, facts: Int) -> Refusal? {
        guard isNearLimit(with: bytes, facts: facts) else { return nil }
        let change = growth.bytes * LoadedBytes.factor + growth.rows * LoadedBytes.bytesPerRow
        if change > 0, estimate.isUncertain { measureAll() }
        if change > 0, estimate.greatest(with: 0) + change > context.spaceLimit {
            context.fullSpaces.insert(name)
            return .spaceTooLarge(bytes: estimate.greatest(with: bytes), limit: context.spaceLimit)
        }
        // The commit counts as what it changes, so that a space that shrinks has room again at once.
        estimate.expect(bytes, bytes: growth.bytes, rows: growth.rows)
        if change < 0 { context.fullSpaces.remove(name) }
        return nil
    }

    private func isNearLimit(with bytes: Int, facts: Int) -> Bool {
        estimate.greatest(with: bytes, facts: facts) > context.spaceLimit
            || !context.fullSpaces.isEmpty && context.fullSpaces.contains(name)
    }

    /// The size of the stored state, which is measured at the first call: in O(state), and later in O(1).
    func measuredSize() -> SpaceSize {
        if let size { return size }
        let measured = features.size
        size = measured
        return measured
    }

    /// Takes the size after a commit. One whose growth nobody has looked at is measured when the size is next asked for.
    func takeNextSize(after facts: Facts) {
        if facts.contains(where: { !Fact.isMemory($0.variable) }) { size = nextSize }
        nextSize = nil
    }
}
