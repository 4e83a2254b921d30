import Ground
import Reactive

/// A piece of work that waits until views and indexes of a space are made in slices.
final class BuildWait {
    /// The cells whose values are wanted. Each keeps its value until the wait is over.
    let cells: [ViewCell]
    /// The build of the indexes that are wanted; nil for none.
    let indexes: RowBuild?
    /// Returns false once nobody waits for the work any more.
    let isWanted: () -> Bool
    private let body: (_ isMade: Bool) -> Void
    /// The pieces of large lists that are still to be made; nil while the lists are.
    private var pieces: [PieceWork]?

    init(
        _ cells: [ViewCell], _ indexes: RowBuild?, isWanted: @escaping () -> Bool = { true },
        _ body: @escaping (Bool) -> Void
    ) {
        (self.cells, self.indexes, self.isWanted, self.body) = (cells, indexes, isWanted, body)
    }

    /// True once everything is made.
    var isReady: Bool {
        guard build == nil else { return false }
        if pieces == nil { pieces = cells.compactMap(\.pieceWork) }
        return pieces?.isEmpty ?? true
    }

    /// Makes a part of what is left.
    func takeSlice() {
        if let build { return build.takeSlice() }
        guard let work = pieces?.last else { return }
        work.takeSlice()
        if work.isOver { pieces?.removeLast() }
    }

    /// A build that is not complete; nil if there is none.
    private var build: RowBuild? {
        if let indexes, !indexes.isComplete { return indexes }
        return cells.lazy.compactMap(\.build).first
    }

    func run(isMade: Bool) { body(isMade) }
}

/// The views and indexes over many rows, which are made in slices beside requests (decision 149).
extension Space {
    /// Runs `body` once the values of views are known. If some take the rows of large tables, they take them in slices,
    /// and `body` runs in a later job; the values stay known for as long as it runs. If `isWanted` returns false before,
    /// they are given up unless others wait for them, and `body` gets false.
    func whenBuilt(
        _ views: [String], isWanted: @escaping () -> Bool = { true }, _ body: @escaping (_ isMade: Bool) -> Void
    ) {
        guard mayBuild, state.isHere, !graph.isBusy else { return body(true) }
        var cells: [ViewCell] = []
        var isWaiting = false
        for view in views {
            guard let cell = buildingCells[view] ?? visibleCell(view) else { continue }
            if cell.isInstance {
                // An instance of `common` without subscribers has no place to stay.
                guard cell.isOwned(by: self) else { continue }
                buildingCells[view] = cell
            }
            cell.pins += 1
            cells.append(cell)
            if cell.begin() != nil { isWaiting = true }
        }
        let wait = BuildWait(cells, nil, isWanted: isWanted, body)
        guard isWaiting || !wait.isReady else { return end(wait) }
        add(wait)
    }

    /// Runs `body` once views of a loaded large space can be read: it has the present documents, or serves what those before
    /// have, and the values are made. If nobody wants them any more, or it serves others, `body` gets a refusal.
    func whenReadable(
        _ views: [String], isWanted: @escaping () -> Bool = { true }, _ body: @escaping (Refusal?) -> Void
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
        guard mayBuild, state.isHere, !graph.isBusy else { return body(nil) }
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
        add(
            BuildWait([], build) { [self] _ in
                if !answered.value { whenBuilt(views) { _ in answer(nil) } }
            })
    }

    /// The time that an action waits for its indexes.
    private static var indexPatience: Duration { .seconds(1) }

    private func add(_ wait: BuildWait) {
        buildWaits.append(wait)
        guard buildWaits.count == 1 else { return }
        context.slices.add { [self] in
            context.isOpen ? takeSlice() : true
        }
    }

    /// Takes a slice of one of the builds, and runs what waits for it no longer. Returns true if nothing is left.
    private func takeSlice() -> Bool {
        if !buildWaits.isEmpty {
            buildTurn += 1
            let wait = buildWaits[buildTurn % buildWaits.count]
            if wait.isWanted() {
                wait.takeSlice()
            } else {
                end(wait, isMade: false)
                buildWaits.removeAll { $0 === wait }
            }
        }
        // In their order: actions are performed in that in which they came.
        let ready = buildWaits.filter(\.isReady)
        if !ready.isEmpty { buildWaits.removeAll(where: \.isReady) }
        let isOver = buildWaits.isEmpty
        for wait in ready { end(wait) }
        noteUse()
        return isOver
    }

    /// Runs what has waited. Afterwards each value is kept as after a read, or given up.
    private func end(_ wait: BuildWait, isMade: Bool = true) {
        wait.run(isMade: isMade)
        for cell in wait.cells {
            cell.pins -= 1
            guard cell.pins == 0 else { continue }
            if let rest = cell.unpin() {
                // What nobody listens to is over at its next slice. Indexes stay, and are made to the end.
                buildWaits.append(BuildWait([], rest) { _ in })
            }
            if buildingCells[cell.name] === cell { buildingCells[cell.name] = nil }
        }
    }
}
