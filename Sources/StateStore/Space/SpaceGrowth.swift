import JSON

/// The limit of the memory of one space.
extension Space {
    /// Returns the reason to refuse a commit because of its size: its facts exceed the limit of a commit, the space has
    /// reached its limit of memory and the commit would make it grow, or it would exceed a quota. Precondition: the draft
    /// with the facts is not published.
    func refusal(ofSizeOf facts: Facts, by changed: [FeatureInstance]) -> Refusal? {
        let size = facts.size
        if size > Facts.sizeLimit { return .commitTooLarge(bytes: size) }
        return refusal(ofGrowthBy: facts, by: changed)
    }

    /// Returns the reason to refuse a commit of any size because the space would be too large.
    func refusal(ofGrowthBy facts: Facts, by changed: [FeatureInstance]) -> Refusal? {
        refusal(ofGrowthBy: facts, facts.size) ?? quotaRefusal(of: facts, by: changed)
    }

    /// Returns the reason to refuse changes of rows in memory only.
    func refusal(ofUnkept features: [FeatureInstance]) -> Refusal? {
        guard isNearLimit(with: 0) else { return nil }
        let facts = Facts(features.flatMap { $0.unkeptFacts ?? [] })
        return refusal(ofGrowthBy: facts, facts.size)
    }

    private func refusal(ofGrowthBy facts: Facts, _ size: Int) -> Refusal? {
        guard isNearLimit(with: size) else { return nil }
        let growth = growth(by: facts)
        let change = growth.bytes * LoadedBytes.factor + growth.rows * LoadedBytes.bytesPerRow
        if change > 0, estimate.isUncertain { measureAll() }
        if change > 0, estimate.greatest(with: 0) + change > context.spaceLimit {
            context.fullSpaces.insert(name)
            return .spaceTooLarge(bytes: estimate.greatest(with: size), limit: context.spaceLimit)
        }
        // The commit counts as what it changes, so that a space that shrinks has room again at once.
        estimate.expect(size, bytes: growth.bytes, rows: growth.rows)
        if change < 0 { context.fullSpaces.remove(name) }
        return nil
    }

    private func isNearLimit(with size: Int) -> Bool { estimate.greatest(with: size) > context.spaceLimit }

    /// Returns the bytes and rows by which facts make the state grow. Takes O(facts).
    private func growth(by facts: Facts) -> (bytes: Int, rows: Int) {
        var (bytes, rows) = (0, 0)
        for fact in facts {
            guard let variable = features.madeVariable(fact.variable) else {
                bytes += fact.size
                continue
            }
            if let value = fact.value { bytes += (fact.entry?.utf8.count ?? 0) + value.count }
            if let key = fact.entry {
                let old = (try? variable.entry(key)) ?? nil
                if let old { bytes -= key.utf8.count + old.count }
                rows += (fact.value == nil ? 0 : 1) - (old == nil ? 0 : 1)
            } else {
                bytes -= (try? variable.size()) ?? 0
                if fact.isEmptyState { rows -= variable.rowCount }
            }
        }
        return (bytes, rows)
    }
}

extension FeatureSet {
    /// The variable of a name in facts, if its feature was made.
    func madeVariable(_ name: String) -> (any PersistentState)? {
        guard let place = catalog.variable(name), place.feature.scope == scope, isMade(place.feature.index) else {
            return nil
        }
        return self[place.feature.index].variables[place.index]
    }
}
