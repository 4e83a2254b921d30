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

/// The views and indexes over many rows that are made in slices beside requests, of one space or of `common`
/// (decision 149).
final class ViewBuilds {
    unowned(unsafe) private let context: StoreContext
    // The slices retain the owner.
    unowned(unsafe) private let owner: any ViewOwner
    private var waits: [BuildWait] = []
    private var turn = 0
    /// The instances among the views that are made.
    private(set) var cells: [ViewKey: ViewCell] = [:]

    init(of owner: any ViewOwner, in context: StoreContext) { (self.owner, self.context) = (owner, context) }

    /// True if nothing is being made.
    var isEmpty: Bool { waits.isEmpty }

    /// Runs `body` once the values of views are known. If some take the rows of large tables, they take them in slices,
    /// and `body` runs in a later job; the values stay known for as long as it runs. If `isWanted` returns false before,
    /// they are given up unless others wait for them, and `body` gets false. Precondition: no turn of the graph is under
    /// way.
    func build(_ views: [ViewKey], isWanted: @escaping () -> Bool, _ body: @escaping (_ isMade: Bool) -> Void) {
        var cells: [ViewCell] = []
        var isWaiting = false
        for view in views {
            guard let cell = owner.visibleCell(view) else { continue }
            if cell.isInstance { keeper(of: cell).cells[view] = cell }
            cell.pins += 1
            cells.append(cell)
            if cell.begin() != nil { isWaiting = true }
        }
        let wait = BuildWait(cells, nil, isWanted: isWanted, body)
        guard isWaiting || !wait.isReady else { return end(wait) }
        add(wait)
    }

    /// Runs `body`, which subscribes to views only while it runs, so that no value is made. Precondition: no turn of the
    /// graph is under way.
    func begin<Result>(_ body: (Graph) -> Result) -> Result {
        let build = RowBuild(in: owner.graph)
        let result = build.begin { body(owner.graph) }
        // Indexes are made to the end.
        if !build.isComplete { add(BuildWait([], build) { _ in }) }
        return result
    }

    /// Those that keep an instance until it is made: a space has some of `common` too.
    private func keeper(of cell: ViewCell) -> ViewBuilds {
        cell.isOwned(by: owner) ? self : context.replica.builds
    }

    func add(_ wait: BuildWait) {
        waits.append(wait)
        guard waits.count == 1 else { return }
        let owner = owner
        context.slices.add { [self] in
            withExtendedLifetime(owner) { context.isOpen ? takeSlice() : true }
        }
    }

    /// Takes a slice of one of the builds, and runs what waits for it no longer. Returns true if nothing is left.
    private func takeSlice() -> Bool {
        if !waits.isEmpty {
            turn += 1
            let wait = waits[turn % waits.count]
            if wait.isWanted() {
                wait.takeSlice()
            } else {
                end(wait, isMade: false)
                waits.removeAll { $0 === wait }
            }
        }
        // In their order: actions are performed in that in which they came.
        let ready = waits.filter(\.isReady)
        if !ready.isEmpty { waits.removeAll(where: \.isReady) }
        let isOver = waits.isEmpty
        for wait in ready { end(wait) }
        owner.noteUse()
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
                waits.append(BuildWait([], rest) { _ in })
            }
            let keeper = keeper(of: cell)
            if keeper.cells[cell.name] === cell { keeper.cells[cell.name] = nil }
        }
    }
}
