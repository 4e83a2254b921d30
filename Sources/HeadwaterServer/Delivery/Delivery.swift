import Ground
import HTTP
import Sockets
import StateStore

/// The delivery of views to the clients of one loop: the broadcasters, and the tasks of the end of a turn.
final class Delivery {
    /// The time for which views stay watched after their last reader, because a client that polls repeatedly comes back
    /// at once.
    static let lingerNanoseconds: Int64 = 3_000_000_000
    /// Views that take longer to compute stay watched while requests read them again within `lingerNanoseconds`.
    static let slowNanoseconds: Int64 = 1_000_000
    var slowNanoseconds = slowNanoseconds
    /// The time for which patches are stored after the last request for them, because a client that polls comes back.
    static let patchesNanoseconds: Int64 = 60_000_000_000
    /// The time between two sweeps for views without readers.
    static let sweepNanoseconds: Int64 = 1_000_000_000
    /// The maximum delay before readers receive the version of commits that did not change their values.
    static let progressNanoseconds: Int64 = 1_000_000_000
    /// The maximum number of broadcasters without readers.
    static let broadcastersLimit = 10_000

    /// The maximum number of bytes of values in broadcasters without readers.
    static let keptBytesLimit = 64 * 1_024 * 1_024

    /// The time for which the changes of what is in memory only are gathered in one frame.
    static let gatherNanoseconds: Int64 = 25_000_000

    let store: Store
    let shownWaits: ShownWaits
    let metrics: Metrics
    let tags: ViewTags
    private let loop: EventLoop
    private let alarms: LoopScheduler
    private var broadcasters: [Key: ViewBroadcaster] = [:]
    /// The bytes of values that broadcasters have stored since the last removal.
    private var keptBytes = 0
    /// The broadcasters by their space.
    private var spaces: [SpaceName: [ViewBroadcaster]] = [:]
    private var dirty: [any TurnEndTask] = []
    /// The listener to deleted spaces and to versions of `common`.
    weak var listener: (any SpaceListener)?
    private var watching: [ViewBroadcaster] = []
    /// The broadcasters of instances of views.
    private var ofInstances: [ViewBroadcaster] = []
    private var isSweepSet = false

    private struct Key: Hashable {
        let permit: ReadPermit
        let isSingle: Bool
    }

    init(_ store: Store, _ tags: ViewTags, _ executor: LoopExecutor, _ metrics: Metrics) {
        self.store = store
        shownWaits = ShownWaits(store, on: executor)
        self.tags = tags
        loop = executor.loop
        alarms = executor.alarms
        self.metrics = metrics
        store.unloaded = { [unowned self] in forget($0) }
        store.watchesMustEnd = { [unowned self] in leave($0) }
        store.commonMoved = { [unowned self] in listener?.noteCommon() }
    }

    var now: Int64 { loop.now }

    /// The broadcaster for the views of a permit. Readers with different claims have different ones if the views have
    /// rules.
    func broadcaster(for permit: ReadPermit, isSingle: Bool) -> ViewBroadcaster {
        let (key, space) = (Key(permit: permit, isSingle: isSingle), permit.space)
        if let broadcaster = broadcasters[key] {
            if broadcaster.isOfInstances { broadcaster.noteRequest() }
            return broadcaster
        }
        if broadcasters.count >= Self.broadcastersLimit { remove(broadcasters.values.filter { $0.forget() }) }
        let broadcaster = ViewBroadcaster(permit, isSingle: isSingle, self)
        broadcasters[key] = broadcaster
        spaces[space, default: []].append(broadcaster)
        if broadcaster.isOfInstances {
            ofInstances.append(broadcaster)
            setSweep()
        }
        return broadcaster
    }

    /// Removes unused broadcasters, in O(their number + that of the other broadcasters of their spaces).
    private func remove(_ unused: [ViewBroadcaster]) {
        guard !unused.isEmpty else { return }
        for broadcaster in unused {
            broadcasters[Key(permit: broadcaster.permit, isSingle: broadcaster.isSingle)] = nil
        }
        let removed = Set(unused.map { ObjectIdentifier($0) })
        for space in Set(unused.map(\.space)) {
            spaces[space]?.removeAll { removed.contains(ObjectIdentifier($0)) }
            if spaces[space]?.isEmpty == true { spaces[space] = nil }
        }
        guard unused.contains(where: \.isOfInstances) else { return }
        ofInstances.removeAll { removed.contains(ObjectIdentifier($0)) }
    }

    /// Ends the streams and the waits for views whose rules are other ones now: their clients come back, and get new
    /// permits. Streams go on if all such views are gone.
    func noteFeatures() {
        for broadcaster in broadcasters.values { broadcaster.noteFeatures() }
    }

    /// Returns true if the documents of this loop have changed what a permit says.
    func isOutdated(_ permit: ReadPermit) -> Bool { store.registry.outdates(permit) }

    /// Returns the views of a permit that are not there any more, or whose parameters no longer fit.
    func gone(among permit: ReadPermit) -> [String] {
        permit.names.filter { store.registry.hasNothing(named: $0, in: permit.space) }.map(\.description)
    }

    /// Removes the broadcasters without readers of a space that was unloaded, or that is no longer known to be unwritten.
    private func forget(_ space: SpaceName) {
        guard let broadcasters = spaces[space] else { return }
        remove(broadcasters.filter { $0.forget() })
    }

    /// Ends the streams and the waits of a large space, which moves to another loop then. Their clients come back there.
    private func leave(_ space: SpaceName) {
        for broadcaster in spaces[space] ?? [] { broadcaster.leave() }
        listener?.leave(space)
    }

    /// Counts bytes that a broadcaster stores. Beyond the limit, broadcasters without readers drop their values, and
    /// read them again on request.
    func noteTaken(_ bytes: Int) {
        keptBytes += bytes
        guard keptBytes > Self.keptBytesLimit else { return }
        keptBytes = 0
        for broadcaster in broadcasters.values { _ = broadcaster.forget() }
    }

    /// Renews the tags of the views of a deleted space, even of unchanged values.
    func noteForgotten(_ space: SpaceName) {
        for broadcaster in spaces[space] ?? [] { broadcaster.noteForgotten() }
        listener?.noteForgotten(space)
    }

    /// Calls `endTurn` of a task at the end of the turn.
    func noteDirty(_ one: any TurnEndTask) {
        dirty.append(one)
    }

    /// Calls `body` after this turn.
    func afterwards(_ body: @escaping () -> Void) {
        let owned = Confined(body)
        loop.post { owned.value() }
    }

    /// Calls `body` after `nanoseconds`.
    func after(nanoseconds: Int64, _ body: @escaping () -> Void) {
        alarms.after(nanoseconds: nanoseconds, body)
    }

    /// Sends the changes of this turn. Readers may cause further changes.
    func flush() {
        while !dirty.isEmpty {
            let settling = dirty
            dirty = []
            for one in settling { one.endTurn() }
        }
    }

    func retryMilliseconds() -> Int { Int.random(in: 1_000...2_000) }

    /// Releases all broadcasters, which own this object, at the end of the service.
    func release() {
        for broadcaster in broadcasters.values { broadcaster.release() }
        broadcasters = [:]
        spaces = [:]
        watching = []
        ofInstances = []
        dirty = []
    }

    // MARK: Views without readers

    func noteWatching(_ broadcaster: ViewBroadcaster) {
        watching.append(broadcaster)
        setSweep()
    }

    private func setSweep() {
        guard !isSweepSet else { return }
        isSweepSet = true
        alarms.after(nanoseconds: Self.sweepNanoseconds) { [unowned self] in
            isSweepSet = false
            sweep()
        }
    }

    private func sweep() {
        for broadcaster in watching where isOver(broadcaster) { broadcaster.stopWatching() }
        watching.removeAll { !$0.isWatching }
        remove(ofInstances.filter { isOver($0) && $0.forget() })
        if !ofInstances.isEmpty || watching.contains(where: \.isUnused) { setSweep() }
    }

    private func isOver(_ broadcaster: ViewBroadcaster) -> Bool {
        broadcaster.isUnused && now - broadcaster.unusedSince >= Self.lingerNanoseconds && now >= broadcaster.returnEnd
    }

    /// Notes that a broadcaster has lost its last reader. The sweep stops its watch later.
    func noteUnused() {
        setSweep()
    }

    /// The number of broadcasters.
    var broadcasterCount: Int { broadcasters.count }

    /// The number of waiting long polls.
    var pollersCount: Int { watching.reduce(0) { $0 + $1.pollersCount } }
}
