/// The part of a watch that views refer to. It does not retain the watch.
final class ViewSubscriber {
    private let receive: (Result<ViewFrames, Refusal>) -> Void
    /// The space or, for views of `common`, its replica.
    private unowned var owner: (any ViewOwner)?
    private var cells: [ViewCell] = []
    /// The undelivered value of each cell.
    private var pending: [Frame?] = []
    private var hasPending = false
    /// The moment of the first values.
    private var beginning: Moment?
    private var hasBegun = false
    private(set) var isCancelled = false

    /// True if the frames are to have trees.
    let wantsTrees: Bool

    private let isAwaited: () -> Bool

    /// A subscriber that waits for its first values while `isAwaited` returns true.
    init(
        wantsTrees: Bool = false, isAwaited: @escaping () -> Bool = { true },
        _ receive: @escaping (Result<ViewFrames, Refusal>) -> Void
    ) {
        (self.wantsTrees, self.isAwaited, self.receive) = (wantsTrees, isAwaited, receive)
    }

    /// False once nobody waits for the first values any more.
    var isWanted: Bool { !isCancelled && isAwaited() }

    /// Subscribes to cells. `begin` delivers their present values.
    func attach(to cells: [ViewCell], in owner: any ViewOwner) {
        guard !isCancelled else { return }
        // Counted before the end of an earlier subscription: an owner without subscribers may be unloaded at once, and
        // this one would subscribe to a space that follows nothing.
        owner.noteSubscribers(1)
        detach()
        self.owner = owner
        self.cells = cells
        beginning = owner.moment
        for cell in cells { cell.add(self) }
        pending = cells.map { $0.current() }
    }

    /// The moment of the delivered values; nil before the first ones.
    var moment: Moment? { hasBegun ? owner?.delivered : nil }
    /// True if the delivered values are those of the content: it is here.
    var isCurrent: Bool { hasBegun && owner?.shown != nil }

    private func detach() {
        for cell in cells { cell.remove(self) }
        cells = []
        pending = []
        owner?.noteSubscribers(-1)
        owner = nil
    }

    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        detach()
    }

    /// Delivers the first values: those of the moment of `attach`, or later ones that are durable by now.
    func begin() {
        guard !isCancelled else { return }
        hasBegun = true
        deliver()
    }

    func fail(_ refusal: Refusal) {
        guard !isCancelled else { return }
        cancel()
        receive(.failure(refusal))
    }

    /// Leaves a cell that is gone, if its owner has another one for the view.
    func leave(_ old: ViewCell) {
        guard let owner, owner.shown != nil, let new = owner.visibleCell(old.name), new !== old else { return }
        for index in cells.indices where cells[index] === old {
            old.remove(self)
            cells[index] = new
            new.add(self)
        }
        guard owner.isDurable else { return owner.postpone(.common(new.current(), new, self, owner.moment)) }
        note(new.current(), of: new, at: owner.moment)
    }

    /// Receives a value that a cell shows.
    func hear(_ frame: Frame, of cell: ViewCell) {
        guard let owner else { return }
        // A value of `common` is delivered together with the values that the space derives from it.
        if !cell.isOwned(by: owner), !owner.isDurable {
            owner.postpone(.common(frame, cell, self, owner.moment))
        } else {
            note(frame, of: cell, at: owner.moment)
        }
    }

    /// Keeps a value that is durable for the next notification.
    func note(_ frame: Frame, of cell: ViewCell, at moment: Moment) {
        // While it subscribes, `pending` is empty: `attach` reads the values afterwards.
        guard let owner, !isCancelled, !pending.isEmpty else { return }
        // A value of the same moment can be newer: what is in memory only has changed.
        if !hasBegun, let beginning, moment < beginning { return }
        for index in cells.indices where cells[index] === cell { pending[index] = frame }
        if hasBegun, !hasPending { owner.noteDirty(self) }
        hasPending = true
    }

    /// Delivers the values noted since the last time, if there are any.
    func notify() {
        if hasBegun, hasPending, !isCancelled { deliver() }
    }

    private func deliver() {
        let frames = zip(cells, pending).compactMap { cell, frame in frame.map { (view: cell.name, frame: $0) } }
        for index in pending.indices { pending[index] = nil }
        hasPending = false
        receive(.success(frames))
    }
}
