import Ground
import JSON
import Reactive

/// The value of one view of one owner, and its subscribers.
final class ViewCell {
    let name: ViewKey
    /// True for an instance of a view, or a view for one viewer, which exists only while it has subscribers.
    let isInstance: Bool
    // An owner retains its cells, and a subscriber leaves both before its watch releases the store.
    private unowned(unsafe) let owner: any ViewOwner
    private var view: any View
    private var subscription: Subscription?
    /// The subscription that takes large tables in slices; nil if the value is here, or nobody subscribes.
    private(set) var build: RowBuild?
    /// The value of the slices so far.
    private var partial: Result<ViewValue, ViewFailure>?
    /// The number of those who need the value to stay. The space counts them.
    var pins = 0
    /// The current value, which may not be durable.
    private var latest: Frame?
    /// The content at the last read of the value without subscribers.
    private var checked: ContentState?
    /// The content with which the view failed; only a new subscription gives it a value again.
    private var failed: ContentState?
    /// The value delivered last.
    private var shown: Frame?
    private var subscribers: [ViewSubscriber] = []
    /// The number of subscribers that want frames with trees.
    private var treeReaders = 0
    /// True if the value is maintained although nobody subscribes.
    private(set) var isHeld = false
    /// True while the view is not there: it fails for those who have subscribed to it, and nobody else finds it.
    private(set) var isGone = false
    /// The number of values since the last read.
    private(set) var unreadCount = 0
    /// True while a subscription begins, which makes the whole of a list.
    private var isBeginning = false
    /// The bytes that the memory of instances counts for this one.
    private var countedBytes = 0

    init(name: ViewKey, view: any View, in owner: any ViewOwner) {
        self.name = name
        isInstance = name.isInstance || name.kind != nil
        self.view = view
        self.owner = owner
    }

    func isOwned(by owner: any ViewOwner) -> Bool { self.owner === owner }

    /// Returns the current value. Without a subscriber, a brief subscription finds it.
    func current() -> Frame {
        build?.finish()
        unreadCount = 0
        if isHeld, latest?.isFailure ?? true { release() }
        if subscription == nil, checked != ContentState(of: owner) || latest == nil {
            subscribe()
            holdOrStop()
            // Other work may have the steps that this one lacks.
            if case .failure(let failure)? = latest?.value, failure.isShortage { checked = nil }
        }
        return latest ?? Frame(value: .success(Frame.null), since: owner.moment)
    }

    func add(_ subscriber: ViewSubscriber) {
        if isInstance, subscribers.isEmpty { owner.noteInstance(self, isWatched: true) }
        isHeld = false
        subscribers.append(subscriber)
        if subscriber.wantsTrees { treeReaders += 1 }
        countBytes()
        build?.finish()
        if subscription == nil { subscribe() }
    }

    func remove(_ subscriber: ViewSubscriber) {
        guard let index = subscribers.firstIndex(where: { $0 === subscriber }) else { return }
        subscribers.remove(at: index)
        if subscriber.wantsTrees { treeReaders -= 1 }
        guard subscribers.isEmpty else { return }
        if pins == 0 { holdOrStop() }
        countBytes()
        if isInstance { owner.noteInstance(self, isWatched: false) }
    }

    /// Begins to subscribe, unless the value is here. Returns the work that is left if large tables are taken in slices.
    /// Precondition: no turn of the graph is under way.
    func begin() -> RowBuild? {
        if let build { return build }
        if isHeld, latest?.isFailure ?? true { release() }
        guard subscription == nil, checked != ContentState(of: owner) || latest == nil else { return nil }
        let build = RowBuild(in: owner.graph)
        self.build = build
        build.begin { subscribe() }
        guard !build.isComplete else {
            complete(build)
            return nil
        }
        build.completed = { [weak self, unowned build] in self?.complete(build) }
        return build
    }

    /// Takes the value that the slices have led to.
    private func complete(_ build: RowBuild) {
        guard self.build === build else { return }
        self.build = nil
        let value = partial
        partial = nil
        isBeginning = true
        defer { isBeginning = false }
        if case .failure? = value {
            // A part of the rows can fail where all of them do not.
            subscription?.cancel()
            subscription = nil
            return subscribe()
        }
        take(value ?? .success(Frame.null)) { .null }
    }

    /// Keeps the value as after a read, once nobody needs it to stay. A value that is being made is given up; the result is
    /// what is left of its build.
    func unpin() -> RowBuild? {
        guard subscribers.isEmpty, subscription != nil, !isHeld else { return nil }
        guard let build else {
            holdOrStop()
            return nil
        }
        stop()
        checked = nil
        return build
    }

    private func subscribe() {
        var hasValue = false
        failed = nil
        isBeginning = true
        defer { isBeginning = false }
        subscription = view.watch(in: owner.graph, owner.updates.digestKey) { [unowned self] value, tree in
            hasValue = true
            take(value, tree)
        }
        if !hasValue, build == nil { take(.success(Frame.null)) { .null } }
    }

    private func stop() {
        guard subscription != nil else { return }
        subscription?.cancel()
        subscription = nil
        (build, partial) = (nil, nil)
        checked = ContentState(of: owner)
    }

    /// Ends the subscription without subscribers, unless the owner wants the value maintained.
    private func holdOrStop() {
        guard !isInstance, case .success? = latest?.value, owner.hold(self) else {
            return stop()
        }
        unreadCount = 0
        isHeld = true
    }

    /// Ends a subscription that is held for the next reader.
    func release() {
        guard isHeld else { return }
        isHeld = false
        stop()
        // A view that has failed has a value again once the content is another.
        if case .failure(let failure)? = latest?.value { checked = failure.isShortage ? nil : failed }
    }

    /// The work of making the pieces of the value, for readers of a large list; nil if it is little.
    var pieceWork: PieceWork? { if case .success(let value)? = latest?.value { value.pieceWork } else { nil } }

    /// True if the value is a list that is maintained by row.
    var hasList: Bool { if case .success(let value)? = latest?.value { value.isList } else { false } }

    /// The estimated bytes of a list.
    var listBytes: Int {
        guard case .success(let value)? = latest?.value, value.isList else { return 0 }
        return value.size * InstanceMemory.factor
    }

    /// Continues with the view of a reloaded space, or fails if there is none any more. Values that were never delivered
    /// are dropped.
    func rebind(to view: (any View)?) {
        isGone = view == nil
        isHeld = false
        subscription?.cancel()
        subscription = nil
        (build, partial) = (nil, nil)
        self.view = view ?? Self.gone(name)
        latest = shown
        checked = nil
        if !subscribers.isEmpty { subscribe() }
    }

    /// Continues with the view of another definition, or fails if there is none, unless its feature is not among those
    /// that changed. Returns false if nobody subscribes to a view that changed.
    func follow(_ changed: Set<String>, _ view: @autoclosure () -> (any View)?) -> Bool {
        guard changed.contains(name.feature) else { return true }
        guard !subscribers.isEmpty else {
            release()
            return false
        }
        rebind(to: view())
        return true
    }

    /// Gives the subscribers of a view that is gone to the cells that their owners have for it now: the feature has another
    /// home.
    func handOver() {
        guard isGone else { return }
        for subscriber in subscribers { subscriber.leave(self) }
    }

    /// A view that is not there any more.
    private static func gone(_ name: ViewKey) -> any View {
        Observable<JSON>.failed(MissingView("there is no view \(name.known) any more: GET /v1 lists all views"))
    }

    /// Subscribes again to a view that has failed, if the content has changed since.
    func retry() {
        guard let failed, !subscribers.isEmpty else { return }
        // In the turn in which the subscription begins, it is not yet here.
        guard subscription != nil else { return owner.updates.noteFailed(self) }
        guard failed != ContentState(of: owner) else { return owner.updates.noteFailed(self) }
        self.failed = nil
        // The previous subscription is released last: that makes a turn, after which failed views are looked at again.
        let previous = subscription
        subscription = view.watch(in: owner.graph, owner.updates.digestKey) { [unowned self] in take($0, $1) }
        previous?.cancel()
    }

    private func take(_ given: Result<ViewValue, ViewFailure>, _ tree: () throws(JSONError) -> JSON) {
        guard build == nil else { return partial = given }
        let value = affordable(given)
        if case .failure = value {
            failed = ContentState(of: owner)
            if !subscribers.isEmpty { owner.updates.noteFailed(self) }
        }
        if let latest, latest.has(value) { return }
        if isHeld { unreadCount += 1 }
        // A value that has bytes has a tree; if not, the frame reads its bytes.
        let frame = Frame(value: value, since: owner.moment, tree: treeReaders > 0 ? try? tree() : nil)
        latest = frame
        countBytes()
        if owner.isDurable { show(frame) } else { owner.postpone(.frame(frame, self)) }
    }

    /// Counts the bytes of a value, and returns it, or a failure if the present work has made too many. A maintained list
    /// is as large as before, but for the changes of the commit.
    private func affordable(_ value: Result<ViewValue, ViewFailure>) -> Result<ViewValue, ViewFailure> {
        guard case .success(let made) = value, isBeginning || !made.isList else { return value }
        WorkAllowance.spend(bytes: made.size)
        return WorkAllowance.lacksBytes ? .failure(.shortage) : value
    }

    /// Counts the bytes of a watched instance.
    private func countBytes() {
        guard isInstance else { return }
        var bytes = 0
        if !subscribers.isEmpty {
            var size = 0
            if case .success(let value)? = latest?.value { size = value.size }
            bytes = InstanceMemory.bytes(ofValue: size)
        }
        owner.updates.instanceMemory.add(bytes - countedBytes)
        countedBytes = bytes
    }

    /// Delivers a durable value to the subscribers: of the values that one version had on its way, the last, if it is
    /// another than the one before.
    func show(_ frame: Frame) {
        if let latest, latest.since.version == frame.since.version, !latest.has(frame.value) { return }
        if let shown, shown.has(frame.value) { return }
        shown = frame
        for subscriber in subscribers { subscriber.hear(frame, of: self) }
    }
}
