import Ground
import HTTP
import Reactive
import StateStore

/// The side of a steered stream on the loop of some of its spaces. Each view has the broadcaster that all readers of the
/// view share; at the end of a turn the branch tells the stream's loop what changed, each space whole.
final class SteeredBranch: TurnEndTask {
    /// The time after which a view that was refused is asked for again.
    private static let retryNanoseconds: Int64 = 1_000_000_000

    /// The wishes of a stream that its branches share.
    struct Wishes: Sendable {
        /// The client whose queue is followed; nil for none.
        let client: String?
        let subject: String
        let wantsPatches: Bool
        let wantsProgress: Bool
    }

    /// One space of the stream.
    private final class FollowedSpace {
        let name: SpaceName
        /// The watch without views, which tells the moment.
        var watch: Watch?
        var views: [SteeredView] = []
        var toldMoment: Moment?
        var toldQueue = -1
        /// True if the space is told even if nothing has changed.
        var isDue = true
        var isReset = false

        init(_ name: SpaceName) { self.name = name }
    }

    private let wishes: Wishes
    private unowned let live: LiveLoop
    private let tell: (SteeredNews) -> Void
    private var spaces: [SpaceName: FollowedSpace] = [:]
    private var views: [String: SteeredView] = [:]
    private var stays: [String: PresenceStay] = [:]
    private var dirtyViews: [SteeredView] = []
    private var dirtySpaces: Set<SpaceName> = []
    /// The views of each number of wishes that have no value yet.
    private var awaited: [Int: Int] = [:]
    private var granted: [Int] = []
    private var isBehind = false
    private var toldCommon = -1
    private var isDirty = false
    private var isAlarmSet = false

    init(_ wishes: Wishes, of live: LiveLoop, _ tell: @escaping (SteeredNews) -> Void) {
        (self.wishes, self.live, self.tell) = (wishes, live, tell)
        if wishes.wantsProgress { setProgress() }
    }

    private var delivery: Delivery { live.delivery }
    private var store: Store { live.delivery.store }

    // MARK: Steering

    /// Begins to watch views. Their values are told together, with the number, and show a version of `common` or later
    /// ones.
    func watch(_ wanted: [SteeredWish], number: Int, common: Int) {
        unwatch(wanted.map(\.name))
        awaited[number] = wanted.count
        for wish in wanted {
            let space = space(wish.permit)
            let view = SteeredView(wish, delivery.broadcaster(for: wish.permit, isSingle: true), number, self)
            views[wish.name] = view
            space.views.append(view)
            view.broadcaster.add(view, wantsPatches: wishes.wantsPatches && !view.isReplica)
        }
        for view in wanted.compactMap({ views[$0.name] }) { begin(view, common: common) }
        if wanted.isEmpty { grant(number) }
    }

    /// Ends the watch of views.
    func unwatch(_ names: [String]) {
        for name in names {
            guard let view = views.removeValue(forKey: name) else { continue }
            view.end(wantsPatches: wishes.wantsPatches && !view.isReplica)
            if !view.isReady { noteReady(view) }
            guard let space = spaces[view.space] else { continue }
            space.views.removeAll { $0 === view }
            if space.views.isEmpty { spaces[view.space] = nil }
        }
        noteDirty()
    }

    /// Takes the row of the client in a table while the stream is open. `done` receives the problem if it cannot have it.
    func join(_ request: PresenceRequest, _ name: String, in space: SpaceName, _ done: @escaping (Problem?) -> Void) {
        store.join(request, in: space) { [weak self] result in
            switch result {
            case .failure(let refusal): done(Problem(refusal))
            case .success(let stay):
                self?.stays[name] = stay
                done(nil)
            }
        }
    }

    /// Gives up rows of the client.
    func leave(_ names: [String]) {
        for name in names { stays[name] = nil }
    }

    /// Ends the watch of a space, which moves to another loop then. The stream asks for its views there.
    func leave(_ space: SpaceName) {
        guard let followed = spaces[space] else { return }
        unwatch(followed.views.map(\.name))
        spaces[space] = nil
        tell(SteeredNews(common: toldCommon, moved: space))
    }

    /// Ends all.
    func end() {
        for view in views.values { view.end(wantsPatches: wishes.wantsPatches && !view.isReplica) }
        (views, spaces, stays) = ([:], [:], [:])
    }

    private func space(_ permit: ReadPermit) -> FollowedSpace {
        if let space = spaces[permit.space] { return space }
        let space = FollowedSpace(permit.space)
        spaces[permit.space] = space
        space.watch = store.watch(permit.withoutViews) { [weak self] _ in self?.noteDirty(permit.space) }
        dirtySpaces.insert(permit.space)
        return space
    }

    // MARK: The beginning of a view

    /// Begins a view once its space shows the versions that the client has seen, one of `common`, and the commits that are
    /// on their way here, because another node may show them.
    private func begin(_ view: SteeredView, common: Int) {
        let deadline = delivery.now + ShownWaits.patience.wholeNanoseconds
        let seen = presentTag(of: view)?.moment(in: view.space) ?? .beginning
        let moment = Moment(version: seen.version, common: max(seen.common, common))
        delivery.shownWaits.wait(for: moment, in: view.space, isSettled: true, until: deadline) {
            [weak self, weak view] shows in
            guard let self, let view, !view.isEnded else { return }
            if shows { return begin(view) }
            view.refusal = .behind
            isBehind = true
            noteReady(view)
        }
    }

    private func begin(_ view: SteeredView) {
        view.refusal = nil
        view.broadcaster.startWatching()
        view.broadcaster.whenFresh(for: !view.isEnded) { [weak self, weak view] refusal in
            guard let self, let view, !view.isEnded else { return }
            if case .elsewhere = refusal, store.isElsewhere(view.space) { return leave(view.space) }
            view.refusal = refusal.map { Problem($0) }
            if refusal == nil {
                findStart(of: view)
                if let tag = outdatedTag(of: view) { return findBase(of: view, tag) }
            }
            noteReady(view)
        }
    }

    /// Finds the step of the value that the client has.
    private func findStart(of view: SteeredView) {
        guard !view.wasTold else { return }
        let views = view.broadcaster.views
        guard let tag = view.tag else { return }
        if tag.opaque == views.opaque {
            view.told = .step(views.values.step)
            view.lives = views.lives
            if view.isReplica { view.base = views.values.singleValue }
        } else if wishes.wantsPatches, !view.isReplica, let step = views.values.step(of: tag.opaque) {
            view.told = .step(step)
        }
        if presentTag(of: view) == nil { spaces[view.space]?.isReset = true }
    }

    /// The tag of the value that the client has, if it is one of this life.
    private func presentTag(of view: SteeredView) -> ViewTag? {
        view.tag.flatMap { $0.isOf(delivery.tags.mark(of: delivery.tags.lives(of: view.space))) ? $0 : nil }
    }

    /// The tag of the replica that the client has, if it is of an earlier moment of this life.
    private func outdatedTag(of view: SteeredView) -> ViewTag? {
        guard view.isReplica, !view.wasTold, let tag = presentTag(of: view),
            (tag.versions.common == nil) == (view.space == .common)
        else { return nil }
        return tag
    }

    /// Finds the replica that the client has in the past of the space, so that the stream tells the net change. If the past
    /// does not have it, the whole replaces it.
    private func findBase(of view: SteeredView, _ tag: ViewTag) {
        let (permit, tags, opaque) = (view.broadcaster.permit, delivery.tags, String(tag.opaque))
        let point =
            tag.versions.common.map { PastPoint.moment(Moment(version: tag.versions.version, common: $0)) }
            ?? .version(tag.versions.version)
        live.past.run(for: live.executor, by: PastAsker(wishes.subject, view.space, nil)) {
            context throws(PastRefusal) -> ViewValue? in
            let past = try PastSpace(for: permit, at: point, definesByPresent: true, context)
            let frames = try past.frames(of: permit, context)
            guard opaque == tags.opaque(of: frames, in: permit.space), let frame = frames.first?.frame,
                case .success(let value) = frame.value
            else { return nil }
            return value
        } then: { [weak self, weak view] result in
            guard let self, let view, !view.isEnded else { return }
            if case .success(let value?) = result, !view.wasTold { view.base = value }
            noteReady(view)
        }
    }

    private func noteReady(_ view: SteeredView) {
        if !view.isReady {
            view.isReady = true
            let left = (awaited[view.number] ?? 1) - 1
            awaited[view.number] = left
            if left == 0 { grant(view.number) }
        }
        noteDirty(view)
        guard view.refusal != nil || view.broadcaster.failure != nil else { return }
        retry(view)
    }

    private func grant(_ number: Int) {
        awaited[number] = nil
        granted.append(number)
        for view in views.values where view.number == number { noteDirty(view) }
        noteDirty()
    }

    /// Asks for a view again that was refused for another reason than a rule.
    private func retry(_ view: SteeredView) {
        guard !view.isRetrying else { return }
        view.isRetrying = true
        delivery.after(nanoseconds: Self.retryNanoseconds) { [weak self, weak view] in
            guard let self, let view, !view.isEnded else { return }
            view.isRetrying = false
            begin(view, common: 0)
        }
    }

    // MARK: News

    /// The values of a view have moved.
    func noteDirty(_ view: SteeredView) {
        if !view.isDirty {
            view.isDirty = true
            dirtyViews.append(view)
        }
        noteDirty(view.space)
    }

    private func noteDirty(_ space: SpaceName) {
        dirtySpaces.insert(space)
        noteDirty()
    }

    private func noteDirty() {
        guard !isDirty else { return }
        isDirty = true
        delivery.noteDirty(self)
    }

    /// A space of this loop was deleted.
    func noteForgotten(_ space: SpaceName) {
        for view in views.values where view.space == space || space == .common { noteDirty(view) }
    }

    /// This loop shows a newer version of `common`.
    func noteCommon() { noteDirty() }

    /// An action of a queue was answered in a space.
    func noteQueue(in space: SpaceName) {
        if wishes.client != nil, wishes.wantsProgress, spaces[space] != nil { noteDirty(space) }
    }

    /// Tells once a second what moved without a change of a watched value.
    private func setProgress() {
        delivery.after(nanoseconds: Delivery.progressNanoseconds) { [weak self] in
            guard let self else { return }
            for space in spaces.values where space.watch?.moment != space.toldMoment {
                space.isDue = true
                noteDirty(space.name)
            }
            setProgress()
        }
    }

    func endTurn() {
        isDirty = false
        var news = SteeredNews()
        var left: Set<SpaceName> = []
        let changed = Dictionary(grouping: dirtyViews.filter { !$0.isEnded }, by: \.space)
        let spacesOfTurn = dirtySpaces.sorted()
        // Values that are taken on the way are noted for the next end of a turn.
        (dirtyViews, dirtySpaces) = ([], [])
        for name in spacesOfTurn {
            guard let space = spaces[name] else { continue }
            guard let watch = space.watch, watch.isCurrent, let moment = watch.moment else {
                left.insert(name)
                dirtyViews += changed[name] ?? []
                continue
            }
            if let update = update(of: space, at: moment, changed[name] ?? []) { news.updates.append(update) }
        }
        dirtySpaces.formUnion(left)
        let newest = store.shownCommon
        news.common = spaces.values.reduce(newest) { min($0, $1.watch?.moment?.common ?? $0) }
        if !left.isEmpty || news.common < newest { lookAgain() }
        (news.isBehind, isBehind) = (isBehind, false)
        // What was granted is told with its values.
        if left.isEmpty { (news.granted, granted) = (granted, []) }
        guard !news.updates.isEmpty || !news.granted.isEmpty || news.isBehind || news.common != toldCommon else {
            return
        }
        toldCommon = news.common
        tell(news)
    }

    private func update(of space: FollowedSpace, at moment: Moment, _ changed: [SteeredView]) -> SteeredUpdate? {
        var changes: [SteeredUpdate.ViewChange] = []
        for view in changed {
            guard view.isReady, awaited[view.number] == nil else {
                // Told with the other views of its number.
                view.isDirty = false
                continue
            }
            view.isDirty = false
            if let change = view.change(wantsPatches: wishes.wantsPatches, isNewLife: &space.isReset) {
                changes.append(change)
            }
        }
        let isUnready = space.views.contains { !$0.isReady }
        let version = space.name == .common ? moment.common : moment.version
        let queue = wishes.client.map {
            store.queueNumber(of: $0, wishes.subject, in: space.name, at: version)
        }
        let hasProgress = wishes.wantsProgress && queue != nil && queue != space.toldQueue && space.toldQueue >= 0
        guard !changes.isEmpty || space.isReset || hasProgress || space.isDue && !isUnready else { return nil }
        defer { (space.isDue, space.isReset) = (false, false) }
        (space.toldMoment, space.toldQueue) = (moment, queue ?? 0)
        return SteeredUpdate(
            space: space.name, moment: moment, changes: changes, queue: queue ?? 0, isReset: space.isReset)
    }

    private func lookAgain() {
        guard !isAlarmSet else { return }
        isAlarmSet = true
        delivery.after(nanoseconds: LiveBranch.patienceNanoseconds) { [weak self] in
            self?.isAlarmSet = false
            self?.noteDirty()
        }
    }
}

/// One view of a branch, as its broadcaster has it.
final class SteeredView: BroadcastObserver {
    /// What the stream was told.
    enum Told {
        case nothing
        /// The value of a step.
        case step(Int)
        /// A problem, as bytes.
        case gone([UInt8])
    }

    /// The view as the client has written it.
    let name: String
    let space: SpaceName
    let broadcaster: ViewBroadcaster
    let tag: ViewTag?
    /// True for the replica of a feature.
    let isReplica: Bool
    /// The replica that the client has; nil for none.
    var base: ViewValue?
    /// The number of the wish.
    let number: Int
    private unowned let branch: SteeredBranch
    var place = 0
    var told = Told.nothing
    var lives: SpaceLives?
    /// The problem with which the view could not begin.
    var refusal: Problem?
    var isReady = false
    var isDirty = false
    var isRetrying = false
    private(set) var isEnded = false

    init(_ wish: SteeredWish, _ broadcaster: ViewBroadcaster, _ number: Int, _ branch: SteeredBranch) {
        (name, space, isReplica) = (wish.name, wish.space, wish.isReplica)
        (self.broadcaster, self.number, self.branch) = (broadcaster, number, branch)
        tag = wish.tag.flatMap { EntityTags(tag: $0).tags.lazy.compactMap { ViewTag($0) }.first }
    }

    var wasTold: Bool { if case .nothing = told { false } else { true } }

    func broadcasterMoved() { branch.noteDirty(self) }

    func end(wantsPatches: Bool) {
        guard !isEnded else { return }
        isEnded = true
        broadcaster.remove(self, wantsPatches: wantsPatches)
    }

    /// Returns the change since the stream was told last; nil if there is none. Sets `isNewLife` if the value is that of a
    /// new life.
    func change(wantsPatches: Bool, isNewLife: inout Bool) -> SteeredUpdate.ViewChange? {
        // The stream is about to ask for another permit.
        if broadcaster.isOutdated { return nil }
        // The values of this turn, in whichever order its ends come.
        if broadcaster.isDirty { broadcaster.passOn() }
        let (views, values) = (broadcaster.views, broadcaster.views.values)
        if let problem = refusal ?? (broadcaster.failure ?? broadcaster.refusal).map({ Problem($0) })
            ?? values.failure.map({ Problem($0.failure, of: $0.view) })
        {
            let bytes = problem.bytes
            if case .gone(bytes) = told { return nil }
            told = .gone(bytes)
            base = nil
            return SteeredUpdate.ViewChange(name: name, content: .gone(bytes))
        }
        if let lives, lives != views.lives {
            // The client drops what it has.
            isNewLife = true
            (told, base) = (.nothing, nil)
        }
        lives = views.lives
        var patch: [UInt8]?
        if case .step(let step) = told {
            if step == values.step { return nil }
            if wantsPatches, !isReplica { patch = broadcaster.patch(after: step) }
        }
        told = .step(values.step)
        guard let value = values.singleValue else { return nil }
        if isReplica {
            let rows = base.flatMap { ReplicaContent(from: $0, to: value) }
            base = value
            return SteeredUpdate.ViewChange(
                name: name, content: .value(value), opaque: views.opaque, isReplica: true, rows: rows)
        }
        return SteeredUpdate.ViewChange(name: name, content: .value(value), patch: patch, opaque: views.opaque)
    }
}
