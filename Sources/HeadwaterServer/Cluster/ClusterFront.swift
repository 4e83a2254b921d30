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
        /// This node handles it after a wait.
        case later
        /// It is answered, now or later.
        case taken
    }

    /// A wait for this node to have what a request must see.
    private enum Wait {
        case fresh(SpaceName?)
        case versions([(space: SpaceName, version: Int)], near: Bool)
    }

    /// The time that a fresh read waits for the owner.
    private static let freshPatience = Duration.seconds(1)
    /// The time that a read near the client waits for the versions that it names.
    private static let nearNanoseconds: Int64 = 2_000_000_000

    let journal: ReplicatedJournal
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor
    private let readsNear: Bool
    let forwarder: RequestForwarder
    private var pending: Wait?
    private var outcomes: [Int: Bool] = [:]
    private var next = 0
    /// The number of the request that is being handled again; 0 for none.
    private var resumed = 0
    /// The local actions without an answer, in the order of their deadlines, for each patience.
    private var watched: [Int64: [(deadline: Int64, responder: Responder, request: ForwardedRequest)]] = [:]
    private var isTicking = false

    init(
        _ journal: ReplicatedJournal, _ journalWriter: any JournalWriter, on executor: LoopExecutor, readsNear: Bool
    ) {
        self.journal = journal
        self.journalWriter = journalWriter
        self.executor = executor
        self.readsNear = readsNear
        forwarder = RequestForwarder(journal, on: executor)
    }

    // MARK: The course of a request

    /// Decides what happens to a request that the client may send.
    func course(
        of request: borrowing Request, _ resource: Resource, _ route: Route, _ responder: Responder
    ) -> Course {
        if resumed != 0, let isFresh = outcomes.removeValue(forKey: resumed) {
            resumed = 0
            // A stream begins anyway, and an event comes once there is one that is not older than the client's.
            if isFresh || isStream(request, route) { return .here }
            refuseBehind(responder)
            return .taken
        }
        if let space = resource.space, isWrite(resource, request.method) {
            return write(request, resource, route, responder, in: space)
        }
        guard request.method == .get || request.method == .head else { return .here }
        return read(request, resource, route)
    }

    private func isStream(_ request: borrowing Request, _ route: Route) -> Bool {
        route.wantsEvents || request.field(.accept)?.contains("text/event-stream") ?? false
    }

    private func isWrite(_ resource: Resource, _ method: Method) -> Bool {
        switch (resource, method) {
        case (.action, .post), (.restore, .post), (.stream, .put), (.stream, .delete), (.space, .delete): true
        default: false
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
        if case .action = resource { takesKey = true }
        forwarder.forward(ForwardedRequest(request, of: space, takesKey: takesKey), responder)
        return .taken
    }

    private func read(_ request: borrowing Request, _ resource: Resource, _ route: Route) -> Course {
        let space: SpaceName?
        switch resource {
        case .spaces, .allChanges, .live: space = nil
        default:
            guard let own = resource.space else { return .here }
            space = own
        }
        let isLive = if case .live = resource { true } else { false }
        if !isLive, readsNear || request.field(.prefer).map({ Preference.has("near", in: $0) }) ?? false {
            let needed = space.map { neededVersions(of: request, route, in: $0) } ?? []
            guard !needed.isEmpty else { return .here }
            pending = .versions(needed, near: true)
            return .later
        }
        if let space, journal.isFresh(space) { return .here }
        pending = .fresh(space)
        return .later
    }

    /// The versions that the tags of a request name.
    private func neededVersions(
        of request: borrowing Request, _ route: Route, in space: SpaceName
    ) -> [(space: SpaceName, version: Int)] {
        let texts = [route["atLeast"], route.since, route["lastEventId"], request.field(.lastEventID)]
        var tags = texts.compactMap { $0 }
        if let value = request.field(.ifNoneMatch), let known = EntityTags(value) { tags += known.tags }
        var needed: [SpaceName: Int] = [:]
        for tag in tags {
            guard let element = EntityTags(tag: tag).tags.first, let dash = element.utf8.firstIndex(of: 45) else {
                continue
            }
            guard let versions = ShownVersions(Array(element.utf8[..<dash]).span) else { continue }
            needed[space] = max(needed[space] ?? 0, versions.version)
            if let common = versions.common { needed[.common] = max(needed[.common] ?? 0, common) }
        }
        return needed.filter { $0.value > 0 }.map { ($0.key, $0.value) }
    }

    private func refuseBehind(_ responder: Responder) {
        responder.answer(
            Problem(
                .behind, "this node does not have yet what the request must see: try again, or read near",
                retryAfter: 1))
    }

    // MARK: Waiting

    /// Begins the wait of the request that was decided last. Returns its number, or nil if it does not wait for the
    /// cluster.
    func wait(_ resume: @escaping @Sendable () -> Void) -> Int? {
        guard let wait = pending else { return nil }
        pending = nil
        next += 1
        let (number, owned) = (next, Confined(self))
        let end: @Sendable (Bool) -> Void = { [executor] isFresh in
            executor.post {
                owned.value.outcomes[number] = isFresh
                resume()
            }
        }
        switch wait {
        case .fresh(let space): journal.whenFresh(space, within: Self.freshPatience, end)
        case .versions(let needed, _): look(for: needed, until: executor.loop.now + Self.nearNanoseconds, end)
        }
        return number
    }

    /// Looks for versions in the copy until all are there.
    private func look(
        for needed: [(space: SpaceName, version: Int)], until deadline: Int64, _ end: @escaping @Sendable (Bool) -> Void
    ) {
        let owned = Confined(self)
        journalWriter.read(
            for: executor,
            { journal in
                needed.allSatisfy { space, version in
                    (try? journal.heads(of: space, after: version - 1, limit: 1))?.isEmpty == false
                }
            },
            then: { isHere in
                let front = owned.value
                if isHere { return end(true) }
                guard front.executor.loop.now < deadline else { return end(false) }
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

    // MARK: Local actions

    /// Answers that the outcome is unknown if a local action has no answer in time.
    func watch(_ responder: Responder, _ request: ForwardedRequest) {
        watched[request.patience, default: []].append((executor.loop.now + request.patience, responder, request))
        tick()
    }

    private func tick() {
        guard !isTicking, watched.values.contains(where: { !$0.isEmpty }) else { return }
        isTicking = true
        executor.alarms.after(nanoseconds: 200_000_000) { [weak self] in self?.lookAtWatched() }
    }

    private func lookAtWatched() {
        isTicking = false
        let now = executor.loop.now
        for (patience, requests) in watched {
            let late = requests.prefix { $0.deadline <= now }
            watched[patience]?.removeFirst(late.count)
            for (_, responder, request) in late where responder.isOpen {
                forwarder.answerUnknown(request, responder)
            }
        }
        tick()
    }
}
