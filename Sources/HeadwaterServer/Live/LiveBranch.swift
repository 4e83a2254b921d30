import StateStore

/// The side of a live stream on the loop of some of its spaces: it tells the stream's loop what these spaces show.
///
/// It tells at the end of a turn, everything of the turn at once, and each space whole: its values are all of one
/// moment.
final class LiveBranch: TurnEndTask {
    /// The time after which a branch looks again at a space that was behind: one with a commit that is not durable yet,
    /// or that is being loaded.
    static let patienceNanoseconds: Int64 = 1_000_000

    private let selection: LiveSelection
    /// The indices of its spaces among the parts of the selection.
    private let parts: [Int]
    private unowned let live: LiveLoop
    private let tell: (LiveNews) -> Void
    private var watches: [Watch?]
    /// The values of each space that were not told yet, by the index of the view in the part.
    private var pending: [[Int: Frame]]
    /// True for a space whose lives changed.
    private var isForgotten: [Bool]
    /// True for a space whose permit the documents of this loop have changed. The stream, whose loop may have older ones, is
    /// told nothing of it.
    private var isOutdated: [Bool]
    private var toldCommon = -1
    /// The number of the last request for news, and of the last that was answered.
    private var (asked, answered) = (0, 0)
    private var isDirty = false
    /// True once a space has refused.
    private var isRefused = false
    private var isAlarmSet = false

    init(_ selection: LiveSelection, _ parts: [Int], of live: LiveLoop, _ tell: @escaping (LiveNews) -> Void) {
        self.selection = selection
        self.parts = parts
        self.live = live
        self.tell = tell
        watches = parts.map { _ in nil }
        pending = parts.map { _ in [:] }
        isForgotten = parts.map { _ in false }
        isOutdated = parts.map { _ in false }
        noteFeatures()
    }

    /// Follows a change of documents.
    func noteFeatures() {
        isOutdated = parts.map { live.delivery.isOutdated(selection.parts[$0].permit) }
    }

    /// Begins to watch.
    func begin() {
        for (place, part) in parts.enumerated() {
            let permit = selection.parts[part].permit
            watches[place] = live.delivery.store.watch(permit) { [unowned self] result in
                switch result {
                case .failure(let refusal): refuse(refusal)
                case .success(let frames):
                    for (view, frame) in frames {
                        if let index = permit.names.firstIndex(of: view) { pending[place][index] = frame }
                    }
                    noteDirty()
                }
            }
        }
        noteDirty()
    }

    /// Tells a refusal, and nothing after it.
    private func refuse(_ refusal: Refusal) {
        guard !isRefused else { return }
        isRefused = true
        tell(LiveNews(updates: [], common: toldCommon, refusal: refusal))
    }

    /// Tells what the spaces show, even if nothing has changed: a version of `common` or later ones, and the commits that
    /// are on their way here, because another node may show them.
    func refresh(_ number: Int, common: Int) {
        let delivery = live.delivery
        let deadline = delivery.now + ShownWaits.patience.wholeNanoseconds
        var (left, isShown) = (parts.count, true)
        for part in parts {
            let (moment, space) = (Moment(version: 0, common: common), selection.parts[part].space)
            delivery.shownWaits.wait(for: moment, in: space, isSettled: true, until: deadline) { [weak self] shows in
                (left, isShown) = (left - 1, isShown && shows)
                if left == 0 { self?.take(number, isShown) }
            }
        }
    }

    private func take(_ number: Int, _ isShown: Bool) {
        guard isShown else { return tell(LiveNews(updates: [], common: toldCommon, late: number)) }
        asked = max(asked, number)
        noteDirty()
    }

    /// A space of this loop was deleted.
    func noteForgotten(_ space: SpaceName) {
        for (place, part) in parts.enumerated() where selection.parts[part].space == space || space == .common {
            isForgotten[place] = true
            noteDirty()
        }
    }

    /// Ends if it follows a space, which moves to another loop then.
    func leave(_ space: SpaceName) {
        guard parts.contains(where: { selection.parts[$0].space == space }) else { return }
        for place in watches.indices { watches[place] = nil }
        refuse(.elsewhere)
    }

    func noteDirty() {
        guard !isDirty else { return }
        isDirty = true
        live.delivery.noteDirty(self)
    }

    func endTurn() {
        isDirty = false
        if isRefused { return }
        let newest = live.delivery.store.shownCommon
        var common = newest
        var updates: [LiveUpdate] = []
        var isBehind = false
        let lives = live.journal.lives
        for (place, part) in parts.enumerated() {
            guard !isOutdated[place], let watch = watches[place], watch.isCurrent, let moment = watch.moment else {
                isBehind = true
                continue
            }
            common = min(common, moment.common)
            guard !pending[place].isEmpty || isForgotten[place] || asked > answered else { continue }
            updates.append(
                LiveUpdate(
                    part: part, moment: moment,
                    lives: [lives.earliestLife(of: selection.parts[part].space), lives.earliestLife(of: .common)],
                    frames: pending[place].map { (view: $0.key, frame: $0.value) }))
            pending[place] = [:]
            isForgotten[place] = false
        }
        if isBehind || common < newest { lookAgain() }
        // A request for news is answered with those of all spaces.
        let reached = isBehind ? answered : asked
        guard !updates.isEmpty || common != toldCommon || reached > answered else { return }
        (toldCommon, answered) = (common, reached)
        tell(LiveNews(updates: updates, common: common, refresh: reached))
    }

    private func lookAgain() {
        guard !isAlarmSet else { return }
        isAlarmSet = true
        live.executor.alarms.after(nanoseconds: Self.patienceNanoseconds) { [weak self] in
            self?.isAlarmSet = false
            self?.noteDirty()
        }
    }
}
