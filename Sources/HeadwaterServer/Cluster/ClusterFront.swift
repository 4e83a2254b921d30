import Ground
import HTTP
import ReplicatedJournal
import Sockets
import StateStore

/// The part of one loop that a cluster needs: it lets fresh reads wait, and sends requests that write to the owner of
/// their space.
final class ClusterFront {
    /// What happens to a request.
    enum Course {
        /// This node handles it now.
        case here
        /// This node handles it now, a stream that begins behind what was answered.
        case hereBehind
        /// This node handles it after a wait.
        case later
        /// This node handles it after `whenFresh`, or after `later`. It names no version, and wants no stream.
        case whenFresh(SpaceName)
        /// It is answered, now or later.
        case taken
    }

    /// The end of a wait.
    private enum WaitOutcome {
        /// The node has what the request must see.
        case ready
        /// It does not, and the request is a stream that begins anyway.
        case behind
        case refused
    }

    /// A wait for this node to have what a request must see.
    private enum Wait {
        /// For everything that was answered, then for the versions that the request names. A stream without any begins
        /// anyway.
        /// For the rows in memory only as well, if the request reads such.
        case fresh(SpaceName?, [NeededVersion], isStream: Bool, readsRows: Bool)
        case versions([NeededVersion], nanoseconds: Int64)
        /// For the first rows in memory only of a space. The request goes on without them.
        case rows(SpaceName)
    }

    /// A version that a tag of a request names.
    private typealias NeededVersion = (space: SpaceName, version: Int)

    /// The time that a fresh read waits for the owner.
    private static let freshPatience = Duration.seconds(1)
    /// The time that a read near the client waits for the versions that it names.
    private static let nearNanoseconds: Int64 = 2_000_000_000
    /// The time that other requests wait for them.
    private static let lookNanoseconds: Int64 = 1_000_000_000
    private static let streamNanoseconds: Int64 = 15_000_000_000

    let journal: ReplicatedJournal
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor
    private let readsNear: Bool
    private let store: Store
    private let viewTags: ViewTags
    let forwarder: RequestForwarder
    private var pending: Wait?
    private var outcomes: [Int: WaitOutcome] = [:]
    private var next = 0
    /// The number of the request that is being handled again; 0 for none.
    private var resumed = 0
    /// The reads that wait for their space to be fresh.
    private var freshReads: [SpaceName: FreshReads] = [:]
    private let localActions: LocalActions

    init(
        _ journal: ReplicatedJournal, _ journalWriter: any JournalWriter, _ store: Store, on executor: LoopExecutor,
        readsNear: Bool
    ) {
        self.store = store
        viewTags = ViewTags(journal)
        self.journal = journal
        self.journalWriter = journalWriter
        self.executor = executor
        self.readsNear = readsNear
        forwarder = RequestForwarder(journal, on: executor)
        localActions = LocalActions(executor) { [forwarder] in forwarder.answerUnknown($0, $1) }
    }

    // MARK: The course of a request

    /// Decides what happens to a request that the client may send. Requests with one head share `plan`.
    func course(
        of request: borrowing Request, _ resource: Resource, _ route: Route, _ responder: Responder,
        _ plan: inout ReadPlan?
    ) -> Course {
        if resumed != 0, let outcome = outcomes.removeValue(forKey: resumed) {
            resumed = 0
            switch outcome {
            case .ready: return .here
            case .behind: return .hereBehind
            case .refused:
                refuseBehind(responder)
                return .taken
            }
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
        guard request.method == .get || request.method == .head || isTrial(resource) else { return .here }
        return read(request, resource, route, &plan)
    }

    private func isStream(_ request: borrowing Request, _ route: Route) -> Bool {
        route.wantsEvents || request.field(.accept)?.contains("text/event-stream") ?? false
    }

    /// Returns true for requests that post, and only read: their trials begin with what the spaces have.
    private func isTrial(_ resource: Resource) -> Bool {
        switch resource {
        case .streamTest, .featureReplay: true
        default: false
        }
    }

    /// The space whose owner answers a request; nil if every node can. The owner of `common` has the features, and
    /// delivers the hooks of all spaces.
    private func spaceOfOwner(_ resource: Resource, _ method: Method) -> SpaceName? {
        switch (resource, method) {
        case (.action, .post), (.restore, .post), (.erase, .post), (.stream, .put), (.stream, .delete),
            (.space, .delete):
            resource.space
        case (.features, .put), (.feature, .put), (.feature, .delete): .common
        case (.hooks, .get), (.hooks, .head), (.hook, _): .common
        default: nil
        }
    }

    private func write(
        _ request: borrowing Request, _ resource: Resource, _ route: Route, _ responder: Responder,
        in space: SpaceName
    ) -> Course {
        if journal.owns(space) { return .here }
        if route[ForwardedRequest.mark] != nil {
            responder.answer(Problem(.elsewhere as Refusal))
            return .taken
        }
        var takesKey = false
        switch resource {
        case .action, .restore, .erase: takesKey = true
        default: break
        }
        forwarder.forward(forwarded(request, request.content, of: space, takesKey: takesKey), responder)
        return .taken
    }

    private func read(
        _ request: borrowing Request, _ resource: Resource, _ route: Route, _ plan: inout ReadPlan?
    ) -> Course {
        let space: SpaceName?
        switch resource {
        case .spaces, .allChanges, .live, .featureReplay: space = nil
        case .features, .feature, .featureProblems: space = .common
        default:
            guard let own = resource.space else { return .here }
            space = own
        }
        let isLive = if case .live = resource { true } else { false }
        let needed = space.map { neededVersions(of: request, route, in: $0) } ?? []
        if !isLive, readsNear || request.field(.prefer).map({ Preference.has("near", in: $0) }) ?? false {
            if !needed.isEmpty {
                pending = .versions(needed, nanoseconds: Self.nearNanoseconds)
                return .later
            }
            guard let space, readsRows(resource, route) else {
                if !namesVersions(request, route) { plan = .near }
                return .here
            }
            if store.hasRows(of: space) { return .here }
            pending = .rows(space)
            return .later
        }
        let isStream = isStream(request, route)
        let readsRows = readsRows(resource, route)
        if let space, !isStream, !readsRows, !namesVersions(request, route) { plan = .fresh(space) }
        if let space, isFresh(space) {
            guard !needed.isEmpty else { return .here }
            pending = .versions(needed, nanoseconds: isStream ? Self.streamNanoseconds : Self.lookNanoseconds)
        } else {
            pending = .fresh(space, needed, isStream: isStream, readsRows: readsRows)
        }
        return .later
    }

    /// Returns true if a request has a tag.
    private func namesVersions(_ request: borrowing Request, _ route: Route) -> Bool {
        route.since != nil || route["atLeast"] != nil || route["lastEventId"] != nil || request.has(.lastEventID)
            || request.has(.ifNoneMatch)
    }

    /// Returns true if a request may read rows in memory only.
    private func readsRows(_ resource: Resource, _ route: Route) -> Bool {
        let registry = store.registry
        guard registry.hasUnkept else { return false }
        return switch resource {
        case .view(_, let view): registry.mayBeUnkept(view)
        case .views: route.views.isEmpty || route.views.contains { registry.mayBeUnkept($0) }
        case .streamValue(_, let id), .streamValues(_, let id): registry.mayBeUnkept("streams.\(id)")
        default: false
        }
    }

    /// The versions that the tags of a request name and that this node may not have.
    private func neededVersions(
        of request: borrowing Request, _ route: Route, in space: SpaceName
    ) -> [NeededVersion] {
        let texts = [route["atLeast"], route.since, route["lastEventId"], request.field(.lastEventID)]
        var tags = texts.compactMap { $0 }
        if let value = request.field(.ifNoneMatch), let known = EntityTags(value) { tags += known.tags }
        guard !tags.isEmpty else { return [] }
        var needed: [SpaceName: Int] = [:]
        let mark = viewTags.mark(of: viewTags.lives(of: space))
        for text in tags.flatMap({ EntityTags(tag: $0).tags }) {
            // Versions of another life say nothing of this one.
            if let tag = SpaceTag(text), tag.life == journal.life(of: space) {
                needed[space] = max(needed[space] ?? 0, tag.version)
            } else if let tag = ViewTag(text), tag.isOf(mark) {
                needed[space] = max(needed[space] ?? 0, tag.versions.version)
                if let common = tag.versions.common { needed[.common] = max(needed[.common] ?? 0, common) }
            }
        }
        let shown = store.shown(of: space)
        return needed.filter { name, version in
            let own = name == .common ? shown?.common : shown?.version
            return version > own ?? 0
        }.map { ($0.key, $0.value) }
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
        journal.isFresh(space, common: store.shown(of: .common)?.common ?? 0)
    }

    // MARK: Waiting

    /// Begins the wait of the request that was decided last. Returns its number, or nil if it does not wait for the
    /// cluster.
    func wait(_ resume: @escaping @Sendable () -> Void) -> Int? {
        guard let wait = pending else { return nil }
        pending = nil
        next += 1
        let (number, owned) = (next, Confined(self))
        let end: @Sendable (WaitOutcome) -> Void = { [executor] outcome in
            executor.post {
                owned.value.outcomes[number] = outcome
                resume()
            }
        }
        switch wait {
        case .fresh(let space?, let needed, false, false) where needed.isEmpty:
            whenFresh(space) { [unowned self] isFresh in
                outcomes[number] = isFresh ? .ready : .refused
                resume()
            }
        case .fresh(let space, let needed, let isStream, let readsRows):
            journal.whenFresh(space, within: Self.freshPatience) { [executor] isFresh in
                guard let space, isFresh, readsRows else {
                    return Self.end(isFresh, needed, isStream: isStream, owned, executor, end)
                }
                executor.post {
                    owned.value.store.pullRows(of: space, within: Self.freshPatience) { hasRows in
                        Self.end(hasRows, needed, isStream: isStream, owned, executor, end)
                    }
                }
            }
        case .rows(let space): store.pullRows(of: space, within: Self.freshPatience) { _ in end(.ready) }
        case .versions(let needed, let nanoseconds): look(for: needed, until: executor.loop.now + nanoseconds, end)
        }
        return number
    }

    /// Makes a request for a fresh read of a space one that is handled later.
    func later(_ space: SpaceName) -> Disposition {
        pending = .fresh(space, [], isStream: false, readsRows: false)
        return .later
    }

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
        let owned = Confined((front: self, reads: reads, asked: asked))
        journal.whenFresh(space, within: Self.freshPatience) { [executor] isFresh in
            executor.post {
                let (front, reads, asked) = owned.value
                for body in asked { body(isFresh) }
                if reads.waiting.isEmpty {
                    front.freshReads[space] = nil
                } else {
                    front.askForFresh(space, reads)
                }
            }
        }
    }

    /// Ends the wait for everything that was answered, or goes on with that for versions.
    private static func end(
        _ isFresh: Bool, _ needed: [NeededVersion], isStream: Bool, _ owned: Confined<ClusterFront>,
        _ executor: LoopExecutor, _ end: @escaping @Sendable (WaitOutcome) -> Void
    ) {
        guard isFresh || isStream, !needed.isEmpty else {
            return end(isFresh ? .ready : isStream ? .behind : .refused)
        }
        executor.post {
            let front = owned.value
            let nanoseconds = isStream ? streamNanoseconds : lookNanoseconds
            front.look(for: needed, until: front.executor.loop.now + nanoseconds, end)
        }
    }

    /// Looks for versions in the copy until all are there.
    private func look(
        for needed: [NeededVersion], until deadline: Int64, _ end: @escaping @Sendable (WaitOutcome) -> Void
    ) {
        let owned = Confined(self)
        journalWriter.read(
            for: executor,
            { journal in
                // A version that cannot be read is not there: the wait ends with the refusal `behind`.
                needed.allSatisfy { space, version in
                    (try? journal.heads(of: space, after: version - 1, limit: 1))?.isEmpty == false
                }
            },
            then: { isHere in
                let front = owned.value
                if isHere { return end(.ready) }
                guard front.executor.loop.now < deadline else { return end(.refused) }
                front.executor.alarms.after(nanoseconds: 20_000_000) { [weak front] in
                    front?.look(for: needed, until: deadline, end)
                }
            })
    }

    /// Runs `body`, which handles the request of a number again.
    func resuming(_ number: Int, _ body: () -> Void) {
        resumed = number
        body()
        outcomes[number] = nil
        resumed = 0
    }

    /// Returns a request as the owner gets it. If it takes a key and the client has sent none, it gets one of its own.
    func forwarded(
        _ request: borrowing Request, _ body: [UInt8]?, of space: SpaceName, takesKey: Bool
    ) -> ForwardedRequest {
        ForwardedRequest(request, body: body, of: space, newKey: takesKey ? journal.newKey(in: space) : nil)
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
