internal import Ground
internal import Platform
internal import Reactive
internal import SQLiteJournal
package import StateStore

/// The journal of a node of a cluster: a copy of the log that the nodes share.
///
/// A commit is stored once the log has it. Reads are answered by the copy. Only the owner of a lane appends commits of
/// its spaces; `status` tells which lanes this node owns.
package final class ReplicatedJournal: Journal {
    /// What all threads may know of the node.
    package let status: NodeStatus
    package let digestKey: DigestKey
    /// This process, by a name that no other process of any node has.
    package let process: String
    /// The name of this node.
    package let nodeName: String
    private let copy: any JournalCopy
    var copied: any JournalCopy { copy }
    let executor: any Executor
    private let log: any SharedLog
    let node: Confined<ClusterNode>

    /// Opens the journal of a node. Its lanes are read, and its lease is taken, on `executor`; `apart` runs work that
    /// takes long on another thread.
    ///
    /// `predecessor` is the random number of an earlier process with the name of the node, which is known to have ended.
    /// Throws if the copy belongs to another cluster.
    package init(
        _ lease: Lease, after predecessor: UInt64? = nil, _ settings: ClusterSettings, copy: any JournalCopy,
        log: any SharedLog,
        on executor: any Executor, clock: @escaping @Sendable () -> Int64,
        seed: UInt64 = .random(in: .min ... .max), timing: NodeTiming = NodeTiming(),
        warn: @escaping @Sendable (String) -> Void = { _ in }, noteFault: @escaping FaultNote = { _, _ in },
        apart: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = ReplicatedJournal.runOnThread
    ) throws(JournalFailure) {
        let rows = try copy.rows()
        let known = try Self.settings(in: rows)
        guard known?.identity ?? settings.identity == settings.identity,
            known?.lanes ?? settings.lanes == settings.lanes
        else {
            throw JournalFailure(
                .unusable, "the data directory belongs to another cluster, or to one with another number of lanes")
        }
        try copy.apply([], rows: (known == nil ? [settings.row] : []) + [CopyProcess.row(of: lease)])
        var lives = CopyLives(known ?? settings)
        for row in rows { lives.take(row) }
        let common = try copy.summary(of: .common)?.version ?? 0
        status = NodeStatus(settings, lives, common: common, clock: clock)
        digestKey = settings.digestKey
        process = lease.process
        nodeName = lease.node
        self.copy = copy
        self.executor = executor
        self.log = log
        node = Confined(
            ClusterNode(
                lease, after: predecessor ?? CopyProcess.instance(in: rows), settings, copy, log, on: executor, status,
                rows: rows, seed: seed, timing, warn: warn, noteFault: noteFault, apart: apart))
        let owned = node
        executor.post { owned.value.open() }
    }

    /// Runs work that takes long on a thread of its own; at once if the system starts none.
    package static let runOnThread: @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
        do throws(SystemThread.Failure) {
            try SystemThread(work).detach()
        } catch {
            work()
        }
    }

    private static func settings(in rows: [CopyRow]) throws(JournalFailure) -> ClusterSettings? {
        do throws(EntryFault) {
            return try ClusterSettings(rows)
        } catch {
            throw JournalFailure(.damaged, "the settings of the cluster in the data directory cannot be read")
        }
    }

    /// Returns the settings that a copy has; nil if it has never been part of a cluster.
    package static func settings(of copy: any JournalCopy) throws(JournalFailure) -> ClusterSettings? {
        try settings(in: try copy.rows())
    }

    /// Returns the random number of the process that had a copy last; nil for none. It has ended: a copy is locked.
    package static func predecessor(of copy: any JournalCopy) throws(JournalFailure) -> UInt64? {
        CopyProcess.instance(in: try copy.rows())
    }

    // MARK: Appending

    /// Appends commits of lanes that this node owns. Their submitters receive the outcomes.
    package func submit(_ submissions: [Submission]) {
        let (owned, count) = (node, status.laneCount)
        executor.post {
            var lanes: [Lane] = []
            var requests: [Lane: [LaneRequest]] = [:]
            for submission in submissions {
                let lane = Lane.of(submission.record.space, among: count)
                if requests[lane] == nil { lanes.append(lane) }
                requests[lane, default: []].append(.commit(submission))
            }
            for lane in lanes {
                if let replica = owned.value.lanes[lane] {
                    replica.add(requests[lane] ?? [])
                } else {
                    Self.refuse(requests[lane] ?? [])
                }
            }
        }
    }

    private static func refuse(_ requests: [LaneRequest]) {
        let submissions = requests.compactMap { request -> Submission? in
            if case .commit(let submission) = request { submission } else { nil }
        }
        let failure = JournalFailure(.cannotWrite, "the node was closed: try again when the server is back")
        Submission.report(submissions, submissions.map { _ in .failed(failure) })
    }

    /// Deletes a space of a lane that this node owns, and calls `done` on any thread.
    package func forget(_ space: SpaceName, _ done: @escaping @Sendable (Result<Bool, JournalFailure>) -> Void) {
        let (owned, lane, copy) = (node, status.lane(of: space), copy)
        executor.post {
            do throws(JournalFailure) {
                guard try copy.load(space) != nil else { return done(.success(false)) }
            } catch {
                return done(.failure(error))
            }
            guard let replica = owned.value.lanes[lane] else { return done(.failure(.elsewhere)) }
            replica.add([.forget(space, done)])
        }
    }

    /// Not supported: commits of a cluster are appended by `submit`.
    package func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        throw JournalFailure(.cannotWrite, "commits of a cluster are appended without blocking")
    }

    /// Deletes a space, and waits for it. Not for the thread of the node.
    package func forget(_ space: SpaceName) throws(JournalFailure) -> Bool {
        let condition = Condition()
        let outcome = Lock<Result<Bool, JournalFailure>?>(nil)
        forget(space) { result in
            outcome.withLock { $0 = result }
            condition.signal()
        }
        _ = condition.wait()
        guard let result = outcome.with({ $0 }) else { throw .elsewhere }
        return try result.get()
    }

    // MARK: The cluster

    /// Calls `done` on any thread: with true once this node has applied everything that any node has answered of a
    /// space, and of `common`, before this call, or with false after `patience`. Without a space, all spaces, and also what
    /// other nodes have only shown: for reads that cannot name what their client has seen.
    package func whenFresh(
        _ space: SpaceName?, within patience: Duration = .seconds(1), _ done: @escaping @Sendable (Bool) -> Void
    ) {
        let lanes = space.map { Array(Set([status.lane(of: $0), .common])) } ?? Lane.all(status.laneCount)
        let owned = node
        executor.post { owned.value.whenFresh(lanes, within: patience, isStrict: space == nil) { done($0) } }
    }

    /// Returns true if a fresh read of a space needs no question to another node, in a store that shows a version of
    /// `common`.
    package func isFresh(_ space: SpaceName, common version: Int) -> Bool {
        status.isFresh(status.lane(of: space), common: version)
    }

    /// Sends a forwarded action to the owner of a space.
    package func forward(
        _ body: [UInt8], to space: SpaceName, timeout: Duration,
        _ done: @escaping @Sendable (Result<[UInt8], LogFailure>) -> Void
    ) {
        log.ask("act.\(status.lane(of: space))", body, timeout: timeout, done)
    }

    /// Sends a forwarded request to a node.
    package func forward(
        _ body: [UInt8], toNode node: String, timeout: Duration,
        _ done: @escaping @Sendable (Result<[UInt8], LogFailure>) -> Void
    ) {
        log.ask("node.\(node)", body, timeout: timeout, done)
    }

    /// Sets the closure that performs actions that other nodes forward.
    package func serveActions(_ act: @escaping @Sendable ([UInt8], @escaping @Sendable ([UInt8]) -> Void) -> Void) {
        let owned = node
        executor.post { owned.value.act.with { $0 = ForwardedService(act: act) } }
    }

    /// Sets the closure that performs calls of other nodes' effects in spaces that this node owns.
    package func serveOwnCalls(_ perform: @escaping OwnCallPerformer) {
        let owned = node
        executor.post { owned.value.performOwn = perform }
    }

    /// Calls `receive` whenever this node begins or ceases to own a lane.
    package func watchOwnership(_ receive: @escaping @Sendable (Lane, Bool) -> Void) {
        status.contents.with { $0.ownerWatchers.append(receive) }
    }

    /// Hands all lanes over to other nodes.
    package func drain() {
        let owned = node
        executor.post { owned.value.drain() }
    }

    /// True once other nodes own all lanes, or no other node lives that could.
    package var isHandedOver: Bool {
        let lanes = status.lanes.values
        guard lanes.allSatisfy({ !$0.isOwned }) else { return false }
        let others = status.leases.dropFirst().filter { $0.state == .alive }
        return others.isEmpty || lanes.allSatisfy { $0.owner != nil || $0.halt != nil }
    }

    /// True once this node owns no lane.
    package var isDrained: Bool { status.lanes.values.allSatisfy { !$0.isOwned } }

    // MARK: Lives

    package var lives: LifeTable { status.contents.with { $0.lives.table } }

    package func life(of space: SpaceName) -> Life { lives.earliestLife(of: space) }

    // MARK: Following

    package func followOthers(_ receive: @escaping @Sendable (JournalNews) -> Void) -> JournalSubscription {
        let number = status.contents.with { contents in
            contents.next += 1
            contents.followers[contents.next] = receive
            return contents.next
        }
        return JournalSubscription { [status] in
            _ = status.contents.with { $0.followers.removeValue(forKey: number) }
        }
    }

    package func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        copy.follow(receive)
    }

    package func followAll(_ receive: @escaping @Sendable () -> Void) -> JournalSubscription {
        copy.followAll(receive)
    }

    package func probe() throws(JournalFailure) { try copy.probe() }

    /// Ends the node and closes the copy. What is under way has no known outcome.
    package func close() -> JournalFailure? {
        let owned = node
        let condition = Condition()
        executor.post {
            owned.value.close()
            condition.signal()
        }
        _ = condition.wait()
        log.close()
        return copy.close()
    }

    /// Ends the node on its own executor, without closing the copy.
    package func abandon() {
        node.value.close()
    }
}

/// The process that has a copy, or had it last. The next one may take its lease over at once.
enum CopyProcess {
    private static let name = "process"

    /// The row that names the process of a lease.
    static func row(of lease: Lease) -> CopyRow { CopyRow(name, String(lease.instance, radix: 16)) }

    /// Returns the random number of the process that rows name; nil for none.
    static func instance(in rows: [CopyRow]) -> UInt64? {
        rows.last { $0.name == name }.flatMap { UInt64($0.value, radix: 16) }
    }
}

/// The reads that the copy answers.
extension ReplicatedJournal {
    package var erasureCount: Int { copied.erasureCount }

    package func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? { try copied.load(space) }

    package func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>] { copied.load(all: spaces) }

    package func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        try copied.read(space, after: version, limit: limit)
    }

    package func answer(
        _ space: SpaceName, key: String, since earliest: Timestamp
    ) throws(JournalFailure) -> StoredAnswer? {
        try copied.answer(space, key: key, since: earliest)
    }

    package func spaces(
        after name: SpaceName?, limit: Int
    ) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        try copied.spaces(after: name, limit: limit)
    }

    package func spaces(
        after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp
    ) throws(JournalFailure) -> [SpaceName] {
        try copied.spaces(after: name, limit: limit, alarmedAfter: time)
    }

    package func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        try copied.spacesWithWork(after: name, limit: limit)
    }

    package func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState {
        try copied.load(space, at: version)
    }

    package func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int? {
        try copied.version(of: space, at: time)
    }

    package func heads(
        of space: SpaceName, after version: Int, limit: Int
    ) throws(JournalFailure) -> [CommitHead] {
        try copied.heads(of: space, after: version, limit: limit)
    }

    package func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead? {
        try copied.lastChange(of: variable, entry: entry, in: space, upTo: version)
    }

    package func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        try copied.alarms(upTo: time, limit: limit)
    }
}

/// The commits of all spaces, with cursors that mean the same on every node.
///
/// The copy has the commits in the order in which this node has applied them, which differs from node to node between
/// lanes, and is the same within a lane. So a cursor has a place in the log for each lane. A node that gets the cursor
/// of another begins with the first row that the reader does not have, and passes over those that it has.
extension ReplicatedJournal {
    package func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits {
        let none = Array(repeating: 0, count: status.laneCount + 1)
        var shares = cursor?.shares ?? none
        guard shares.count == none.count else { return .gone(oldest: JournalCursor(place: 0, begun: 0, shares: none)) }
        var start = cursor
        if let cursor, cursor.isForeign { start = shares == none ? nil : try copied.cursor(after: shares) }
        switch try copied.readAll(after: start, limit: limit) {
        case .gone(let oldest):
            return .gone(oldest: JournalCursor(place: oldest.place, begun: oldest.begun, shares: none))
        case .rows(let rows, let end, let isWhole):
            let places = try copied.shares(of: rows.map(\.cursor.place))
            var news: [AllCommits.Row] = []
            for (row, place) in zip(rows, places) {
                let lane = status.lane(of: row.event.space).index
                // A row without a place was applied by a program before this one, and so before all that have one.
                guard place.map({ $0 > shares[lane] }) ?? (shares[lane] == 0) else { continue }
                if let place { shares[lane] = place }
                let reached = JournalCursor(place: row.cursor.place, begun: row.cursor.begun, shares: shares)
                news.append(AllCommits.Row(cursor: reached, event: row.event))
            }
            return .rows(
                news, end: JournalCursor(place: end.place, begun: end.begun, shares: shares), isWhole: isWhole)
        }
    }
}

/// The division of the spaces among the nodes, by the owners of their lanes.
extension ReplicatedJournal: SpaceOwnership {
    package func owns(_ space: SpaceName) -> Bool { status.owns(space) }

    package func mayHaveAnswer(to key: String, of space: SpaceName) -> Bool {
        status.mayHaveAnswer(to: key, of: space)
    }

    /// Returns a new key for an action of a space whose client has sent none.
    package func newKey(in space: SpaceName) -> String { NodeKey.text(after: status.applied(of: space)) }

    package func watchOwned(
        _ receive: @escaping @Sendable (_ isMeant: @escaping @Sendable (SpaceName) -> Bool, Bool) -> Void
    ) {
        watchOwnership { [count = status.laneCount] lane, isOwned in
            receive({ Lane.of($0, among: count) == lane }, isOwned)
        }
    }

    package func hear(_ whenHeard: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        let owned = node
        executor.post { owned.value.whenHeard = whenHeard }
    }

    package func perform(
        _ call: Call, in space: SpaceName, _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void
    ) {
        let owned = node
        executor.post { owned.value.performElsewhere(call, in: space, reply) }
    }

    package func whenSeen(_ version: Int, _ done: @escaping @Sendable () -> Void) {
        let owned = node
        executor.post { owned.value.whenSeen(version, done) }
    }

    // MARK: Rows in memory only

    package func claim(of space: SpaceName) -> SpaceClaim? { status.claim(of: status.lane(of: space)) }

    package func ask(_ request: RowsRequest, _ done: @escaping @Sendable (RowsAnswer?) -> Void) {
        let owned = node
        executor.post { owned.value.ask(request, done) }
    }

    package func send(
        _ message: PresenceMessage, in space: SpaceName, _ done: @escaping @Sendable (PresenceAnswer?) -> Void
    ) {
        let owned = node
        executor.post { owned.value.send(message, in: space, done) }
    }

    package func tell(_ process: String, _ news: NodeNews, of space: SpaceName) {
        let owned = node
        executor.post { owned.value.tell(process, news, of: space) }
    }

    package func serveRows(_ service: RowService) {
        let owned = node
        executor.post {
            owned.value.rowService = service
            owned.value.noteProcesses()
        }
    }
}
