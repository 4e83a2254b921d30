import Ground
import Reactive

/// The views and indexes of a space over many rows, which are made in slices beside requests (decision 149).
extension Space {
    /// True if its tables, or those of `common`, may be so large that views take them in slices.
    var mayBuildViews: Bool { mayBuild || context.replica.mayBuild }

    /// Runs `body` once the values of views are known: in a later job if they are made in slices. See `ViewBuilds`.
    func whenBuilt(
        _ views: [ViewKey], isWanted: @escaping () -> Bool = { true }, _ body: @escaping (_ isMade: Bool) -> Void
    ) {
        guard mayBuildViews, state.isHere, !graph.isBusy else { return body(true) }
        makeBuilds().build(views, isWanted: isWanted, body)
    }

    /// What makes views and indexes of the space in slices.
    func makeBuilds() -> ViewBuilds {
        let builds = builds ?? ViewBuilds(of: self, in: context)
        self.builds = builds
        return builds
    }

    /// Runs `body` once views of a loaded large space can be read: it has the present documents, or serves what those before
    /// have, and the values are made. If nobody wants them any more, or it serves others, `body` gets a refusal.
    func whenReadable(
        _ views: [ViewKey], isWanted: @escaping () -> Bool = { true }, _ body: @escaping (Refusal?) -> Void
    ) {
        whenRenewed { [self] isRenewed in
            guard isRenewed || serves(views) else { return body(.migrating) }
            whenBuilt(views, isWanted: isWanted) { [self] isMade in
                guard isMade else { return body(.preparing) }
                // The content can be lost meanwhile.
                whenHere { failure in body(failure.map { .journal($0) }) }
            }
        }
    }

    /// Runs `body` once the indexes that a call needs, and the views of its permit, are made. If that takes too long,
    /// `body` gets a refusal, and they are made all the same.
    func whenReady(for call: Call, _ body: @escaping (Refusal?) -> Void) {
        guard mayBuildViews, state.isHere, !graph.isBusy else { return body(nil) }
        let wanted = call.id.isFound ? [features[call.id.featureIndex]] : features.made
        let own = call.ownAction?.comparisons(in: self) ?? []
        let followers = wanted.flatMap(\.actionIndexes).filter(\.wantsSlices) + own
        let views = call.permit.map { $0.sources + $0.ruleNames } ?? []
        guard !followers.isEmpty else {
            return views.isEmpty ? body(nil) : whenBuilt(views) { _ in body(nil) }
        }
        let build = RowBuild(in: graph)
        build.begin { for follower in followers { follower.buildInSlices(of: build) {} } }
        let answered = Box(false)
        func answer(_ refusal: Refusal?) {
            guard !answered.value else { return }
            answered.value = true
            body(refusal)
        }
        let scheduler = context.executor.scheduler
        // A comparison belongs to its call alone, so a later call would wait as long.
        if own.isEmpty {
            scheduler.set(
                Alarm(at: scheduler.now + Self.indexPatience) { [weak self] _ in
                    if self?.context.isOpen == true { answer(.preparing) }
                })
        }
        makeBuilds().add(
            BuildWait([], build) { [self] _ in
                if !answered.value { whenBuilt(views) { _ in answer(nil) } }
            })
    }

    /// The time that an action waits for its indexes.
    private static var indexPatience: Duration { .seconds(1) }
}
