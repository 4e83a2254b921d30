import Ground
import HTTP
import Reactive
import ReplicatedJournal
import Sockets
import StateStore

/// The part of one loop that a cluster needs: it lets fresh reads wait, and sends requests that write to the owner of
/// their space.
final class ClusterFront {
    /// A wait for this node to have what a request must see.
    private enum Wait {
        /// For everything that was answered, and for the moment that the request names. For the rows in memory only as
        /// well, if the request reads such.
        case fresh(SpaceName?, Moment, readsRows: Bool)
        /// For the moment that the request names.
        case moment(Moment, of: SpaceName)
        /// For the first rows in memory only of a space. The request goes on without them.
        case rows(SpaceName)
    }

    /// The time that a read near the client waits for the first rows in memory only.
    private static let rowsPatience = Duration.seconds(1)

    let journal: ReplicatedJournal
    private let executor: LoopExecutor
    private let readsNear: Bool
    private let store: Store
    private let versions: NamedVersions
    private var shownWaits: ShownWaits { versions.shownWaits }
    let forwarder: RequestForwarder
    /// The reads that wait for their space to be fresh.
    private var freshReads: [SpaceName: FreshReads] = [:]
    private let localActions: LocalActions

    init(
        _ journal: ReplicatedJournal, _ store: Store, on executor: LoopExecutor, _ versions: NamedVersions,
        readsNear: Bool
    ) {
        self.store = store
        self.versions = versions
        self.journal = journal
        self.executor = executor
        self.readsNear = readsNear
        forwarder = RequestForwarder(journal, on: executor)
        localActions = LocalActions(executor) { [forwarder] in forwarder.answerUnknown($0, $1) }
        store.isAwaited = { [weak self] in self?.freshReads[$0] != nil }
    }

    // MARK: The course of a request

    /// Decides what happens to a request that the client may send. Requests with one head share `plan`.
    func course(
        of request: borrowing Request, _ resource: Resource, _ route: Route, _ responder: Responder,
        _ plan: inout ReadPlan?
    ) -> RequestCourse {
        if let outcome = responder.exchange.waitOutcome {
            if outcome { return .here }
            refuseBehind(responder)
            return .taken
        }
        // A feature that was deployed since may have given a view rows in memory only.
        switch store.registry.hasUnkept ? nil : plan {
        case .near: return .here
        case .fresh(let space):
            return isFresh(space) ? .here : .whenFresh(space)
        case nil: break
        }
        if let space = spaceOfOwner(resource, request.method) {
            return write(request, resource, route, responder, in: space)
        }
        if case .liveStream(let name?) = resource.meaning, let node = name.node, node != journal.nodeName,
            route[ForwardedRequest.mark] == nil
        {
            forwarder.forward(ForwardedRequest(request, toNode: node, trace: responder.exchange.trace), responder)
            return .taken
        }
        guard request.method == .get || request.method == .head || resource.row.traits.contains(.trial) else {
            return .here
        }
        return read(request, resource, route, &plan)
    }

    /// The space whose owner answers a request; nil if every node can. The owner of `common` has the features, and
    /// delivers the hooks of all spaces.
    private func spaceOfOwner(_ resource: Resource, _ method: Method) -> SpaceName? {
        let isRead = method == .get || method == .head || method == .options
        guard let home = resource.row.changes, !isRead || resource.row.traits.contains(.readsAtOwner) else {
            return nil
        }
        return home == .common ? .common : resource.space
    }

    private func write(
        _ request: borrowing Request, _ resource: Resource, _ route: Route, _ responder: Responder,
        in space: SpaceName
    ) -> RequestCourse {
        if journal.owns(space) { return .here }
        if route[ForwardedRequest.mark] != nil {
            responder.answer(Problem(.elsewhere as Refusal))
            return .taken
        }
        let takesKey = resource.row.changes == .space && request.method == .post
        forwarder.forward(
            forwarded(request, request.content, of: space, takesKey: takesKey, trace: responder.exchange.trace),
            responder)
        return .taken
    }

    private func read(
        _ request: borrowing Request, _ resource: Resource, _ route: Route, _ plan: inout ReadPlan?
    ) -> RequestCourse {
        let space: SpaceName? = resource.row.reads == .common ? .common : resource.space
        guard space != nil || resource.row.traits.contains(.manySpaces) else { return .here }
        let isLive = if case .live = resource.meaning { true } else { false }
        let needed = space.map { neededMoment(of: request, route, in: $0) } ?? .beginning
        if !isLive, readsNear || request.field(.prefer).map({ Preference.has("near", in: $0) }) ?? false {
            if let space, !shownWaits.shows(needed, in: space) {
                return .later(after(.moment(needed, of: space)))
            }
            guard let space, readsRows(resource, route) else {
                if !namesVersions(request, route) { plan = .near }
                return .here
            }
            if store.hasRows(of: space) { return .here }
            return .later(after(.rows(space)))
        }
        let isStream = NamedVersions.isStream(request, route)
        let readsRows = readsRows(resource, route)
        if let space, !isStream, !readsRows, !namesVersions(request, route) { plan = .fresh(space) }
        if let space, isFresh(space), shownWaits.shows(needed, in: space) { return .here }
        return .later(after(.fresh(space, needed, readsRows: readsRows)))
    }

    /// Returns true if a request has a tag.
    private func namesVersions(_ request: borrowing Request, _ route: Route) -> Bool {
        NamedVersions.mayBeNamed(by: request, route) || route["atLeast"] != nil || route["lastEventId"] != nil
            || request.has(.lastEventID)
    }

    /// Returns true if a request may read rows in memory only.
    private func readsRows(_ resource: Resource, _ route: Route) -> Bool {
        let registry = store.registry
        guard registry.hasUnkept else { return false }
        return switch resource.meaning {
        case .view(_, let view): registry.mayBeUnkept(view)
        case .views: route.views.isEmpty || route.views.contains { registry.mayBeUnkept($0) }
        case .streamValues(_, let id): registry.mayBeUnkept(ViewKey("streams.\(id)"))
        default: false
        }
    }

    /// The moment that the tags of a request name.
    private func neededMoment(of request: borrowing Request, _ route: Route, in space: SpaceName) -> Moment {
        let others = [route["atLeast"], route["lastEventId"], request.field(.lastEventID)]
        return versions.moment(in: space, of: NamedVersions.tags(of: request, route) + others.compactMap { $0 })
    }

    /// Answers that this node is behind.
    func refuseBehind(_ responder: Responder) {
        responder.answer(
            Problem(
                .behind, "this node does not have yet what the request must see: try again, or read near",
                retryAfter: 1))
    }

    /// Returns true if a fresh read of a space needs no question to another node.
    private func isFresh(_ space: SpaceName) -> Bool {
        // The store of large spaces is told of commits like the others, but nobody waits until it has taken them: its
        // reads queue behind what it was told.
        guard !store.holdsLargeSpaces else { return false }
        // A commit that is on its way may be shown by another node already.
        return journal.isFresh(space, common: store.shownCommon) && store.isSettled(space)
    }

    // MARK: Waiting

    private func after(_ wait: Wait) -> RequestWait {
        { [weak self] end in self?.begin(wait) { end($0) } }
    }

    private func begin(_ wait: Wait, _ end: @escaping (Bool) -> Void) {
        let deadline = executor.loop.now + ShownWaits.patience.wholeNanoseconds
        switch wait {
        case .fresh(let space?, .beginning, false): whenFresh(space, end)
        case .fresh(let space, let moment, let readsRows):
            let owned = Returned((front: self, end: end))
            journal.whenFresh(space, within: ShownWaits.patience) { [executor] isFresh in
                executor.post {
                    let (front, end) = owned.take()
                    front.goOn(isFresh, space, moment, readsRows: readsRows, until: deadline, end)
                }
            }
        case .moment(let moment, let space): shownWaits.wait(for: moment, in: space, until: deadline, end)
        case .rows(let space):
            let end = Returned(end)
            store.pullRows(of: space, within: Self.rowsPatience) { [executor] _ in
                executor.post { end.take()(true) }
            }
        }
    }

    /// Goes on with the wait of a request, for what this loop shows.
    private func goOn(
        _ isFresh: Bool, _ space: SpaceName?, _ moment: Moment, readsRows: Bool, until deadline: Int64,
        _ end: @escaping (Bool) -> Void
    ) {
        guard isFresh else { return end(false) }
        // Streams of several spaces wait for each of them when they begin; changes and replays name their versions.
        guard let space else { return settle(.common, moment, until: deadline, end) }
        guard readsRows else { return settle(space, moment, until: deadline, end) }
        let left = max(0, deadline - executor.loop.now)
        let owned = Returned((front: self, end: end))
        store.pullRows(of: space, within: .nanoseconds(left)) { [executor] hasRows in
            executor.post {
                let (front, end) = owned.take()
                guard hasRows else { return end(false) }
                front.settle(space, moment, until: deadline, end)
            }
        }
    }

    /// Calls `end` once this loop shows a moment, everything that this node has of `common`, and the commits of a space
    /// that are on their way.
    private func settle(
        _ space: SpaceName, _ moment: Moment, until deadline: Int64, _ end: @escaping (Bool) -> Void
    ) {
        let moment = Moment(version: moment.version, common: max(moment.common, journal.status.knownCommon))
        shownWaits.wait(for: moment, in: space, isSettled: true, until: deadline, end)
    }

    /// Makes a request for a fresh read of a space one that is handled later.
    func later(_ space: SpaceName) -> Disposition { .later(after(.fresh(space, .beginning, readsRows: false))) }

    /// Calls `body` with true once this node has everything that was answered of a space, or with false if that takes too
    /// long. Reads that come in one turn, or while a question is under way, share the next question.
    func whenFresh(_ space: SpaceName, _ body: @escaping (Bool) -> Void) {
        let reads = freshReads[space] ?? FreshReads()
        freshReads[space] = reads
        reads.waiting.append(body)
        guard !reads.isAsking else { return }
        reads.isAsking = true
        let owned = Confined((front: self, reads: reads))
        executor.post { owned.value.front.askForFresh(space, owned.value.reads) }
    }

    private func askForFresh(_ space: SpaceName, _ reads: FreshReads) {
        let asked = reads.waiting
        reads.waiting = []
        let owned = Returned((front: self, reads: reads, asked: asked))
        let deadline = executor.loop.now + ShownWaits.patience.wholeNanoseconds
        journal.whenFresh(space, within: ShownWaits.patience) { [executor] isFresh in
            executor.post {
                let (front, reads, asked) = owned.take()
                front.goOn(isFresh, space, .beginning, readsRows: false, until: deadline) { hasAll in
                    for body in asked { body(hasAll) }
                }
                if reads.waiting.isEmpty {
                    reads.isAsking = false
                    front.freshReads[space] = nil
                } else {
                    front.askForFresh(space, reads)
                }
            }
        }
    }

    /// Returns a request as the owner gets it. If it takes a key and the client has sent none, it gets one of its own.
    func forwarded(
        _ request: borrowing Request, _ body: [UInt8]?, of space: SpaceName, takesKey: Bool, trace: TraceContext?
    ) -> ForwardedRequest {
        ForwardedRequest(
            request, body: body, of: space, newKey: takesKey ? journal.newKey(in: space) : nil, trace: trace)
    }

    // MARK: Local actions

    /// Answers that the outcome is unknown if a local action has no answer in time.
    func watch(_ responder: Responder, _ request: ForwardedRequest) {
        localActions.watch(responder, until: executor.loop.now + request.patience, request.key)
    }
}

/// The reads of one space that wait for the next question to its owner.
private final class FreshReads {
    var isAsking = false
    var waiting: [(Bool) -> Void] = []
}

/// The actions that this node performs and has not answered. The log may leave their outcome open for long.
final class LocalActions {
    /// The time between two looks.
    private static let pauseNanoseconds: Int64 = 200_000_000

    private let executor: LoopExecutor
    private let answerUnknown: (_ key: String?, Responder) -> Void
    /// The actions since the last look, and those before that have no answer.
    private var watched: [(deadline: Int64, responder: Responder, key: String?)] = []
    private var isTicking = false

    init(_ executor: LoopExecutor, answerUnknown: @escaping (_ key: String?, Responder) -> Void) {
        self.executor = executor
        self.answerUnknown = answerUnknown
    }

    /// Answers that the outcome is unknown if an action has no answer at a time.
    func watch(_ responder: Responder, until deadline: Int64, _ key: String?) {
        watched.append((deadline, responder, key))
        tick()
    }

    private func tick() {
        guard !isTicking, !watched.isEmpty else { return }
        isTicking = true
        executor.alarms.after(nanoseconds: Self.pauseNanoseconds) { [weak self] in self?.look() }
    }

    private func look() {
        isTicking = false
        let now = executor.loop.now
        for (deadline, responder, key) in watched where deadline <= now && responder.isOpen {
            answerUnknown(key, responder)
        }
        watched.removeAll { !$0.responder.isOpen }
        tick()
    }
}
