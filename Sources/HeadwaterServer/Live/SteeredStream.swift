import Ground
import HTTP
import JSON
import Reactive
import StateStore

/// One stream of views of several spaces that its client steers while it is open.
///
/// Its branches tell what changed on the loops of the spaces; the stream keeps for each view the change that the client
/// has yet to take, and writes one event when the connection has room. So it holds at most one value for each view.
final class SteeredStream: Subscriber, StreamSource, TurnEndTask {
    /// The maximum number of views of a stream.
    static let viewsLimit = 1_000
    /// The time that a change waits for those before it.
    static let stepPatience = Duration.seconds(3)
    /// The number of answers that are kept for repeated changes.
    private static let answersLimit = 1_024

    /// A view that the client has asked for.
    private struct AskedView {
        /// The permit; nil for a view that could not be found, or may not be read.
        var permit: ReadPermit?
        var isReplica = false
        /// The tag of the newest value that was written.
        var tag: String?
    }

    /// The change of a view that the client has yet to take.
    private enum PendingChange {
        case value(ViewValue, opaque: String)
        case patch([UInt8], ViewValue, opaque: String)
        /// The whole replica of a feature.
        case replica(ViewValue, opaque: String)
        /// The changes of a replica.
        case rows(ReplicaContent, ViewValue, opaque: String)
        case gone([UInt8])
    }

    let id: StreamName
    private let live: LiveLoop
    private let number: LiveNumber
    private let wishes: SteeredBranch.Wishes
    private var isStarted = false
    private var hasBegun = false
    private var hasToldQueue = false
    private var isEnded = false
    private var ending = StreamEnding()

    private var asked: [String: AskedView] = [:]
    /// The rows of the client, with their spaces.
    private var presences: [String: WantedPresence] = [:]
    /// The loops that have a branch, with the version of `common` up to which each has told everything.
    private var branches: [Int: Int] = [:]
    /// The wishes that loops have not granted yet, and what to do then.
    private var ungranted: [Int: (loops: Set<Int>, done: () -> Void)] = [:]
    private var wishCount = 0
    private var isBehind = false

    private var waiting: [SpaceName: [SteeredUpdate]] = [:]
    private var pending: [String: PendingChange] = [:]
    /// The last part of each replica of the present event.
    private var lastParts: [String: [UInt8]] = [:]
    /// The parts of an event that was begun, in order.
    private var parts: [[UInt8]] = []
    private var pendingSpaces: Set<SpaceName> = []
    private var pendingResets: Set<SpaceName> = []
    private var moments: [SpaceName: Moment] = [:]
    private var queues: [SpaceName: Int] = [:]
    private var isDirty = false
    private var isImpatient = false
    private var isAlarmSet = false

    /// The number of changes that were applied, and the answers to the last ones.
    private var lastStep = 0
    private var answers: [Int: Int] = [:]
    private var isChanging = false
    private var waitingSteps: [WaitingStep] = []

    /// A change that waits for those before it.
    private final class WaitingStep {
        let step: Int
        let take: () -> Void

        init(_ step: Int, _ take: @escaping () -> Void) { (self.step, self.take) = (step, take) }
    }

    init(
        _ id: StreamName, _ number: LiveNumber, _ wishes: SteeredBranch.Wishes, _ place: StreamPlace,
        _ connection: Connection, _ live: LiveLoop
    ) {
        (self.id, self.number, self.wishes, self.live) = (id, number, wishes, live)
        super.init(connection, place)
    }

    private var delivery: Delivery { live.delivery }

    /// The number of watched views; those that cannot be read count.
    var watchedCount: Int { asked.count }

    /// Returns the names of a change that would be watched after it.
    func count(after watched: some Collection<String>, _ unwatched: some Collection<String>) -> Int {
        Set(asked.keys).subtracting(unwatched).union(watched).count
    }

    func isWatched(_ name: String) -> Bool { asked[name] != nil }

    // MARK: Beginning and steering

    /// A view that the client asks for: its permit, or the problem that stands in its place.
    struct Wish {
        let name: String
        let tag: String?
        let permit: Result<ReadPermit, Problem.ProblemFailure>
        /// True for the replica of a feature.
        var isReplica = false
    }

    /// Watches views, and calls `done` when their first values are here.
    func watch(_ wanted: [Wish], _ done: @escaping () -> Void = {}) {
        var byLoop: [Int: [SteeredWish]] = [:]
        for wish in wanted {
            switch wish.permit {
            case .success(let permit):
                asked[wish.name] = AskedView(permit: permit, isReplica: wish.isReplica, tag: wish.tag)
                byLoop[live.loop(of: permit.space), default: []].append(
                    SteeredWish(name: wish.name, permit: permit, tag: wish.tag, isReplica: wish.isReplica))
            case .failure(let failure):
                asked[wish.name] = AskedView(permit: nil, tag: wish.tag)
                pending[wish.name] = .gone(failure.problem.bytes)
            }
        }
        wishCount += 1
        let (count, number) = (wishCount, number)
        guard !byLoop.isEmpty else {
            done()
            return noteDirty()
        }
        ungranted[count] = (Set(byLoop.keys), done)
        let common = live.delivery.store.shownCommon
        for (loop, wishes) in byLoop.sorted(by: { $0.key < $1.key }) {
            open(loop)
            live.post(to: loop) { $0.steeredBranches[number]?.watch(wishes, number: count, common: common) }
        }
    }

    private func open(_ loop: Int) {
        guard branches[loop] == nil else { return }
        branches[loop] = 0
        live.openSteered(number, wishes, on: loop)
    }

    /// Ends the watch of views.
    func unwatch(_ names: [String]) {
        var byLoop: [Int: [String]] = [:]
        let number = number
        for name in names {
            guard let view = asked.removeValue(forKey: name) else { continue }
            pending[name] = nil
            guard let space = view.permit?.space else { continue }
            byLoop[live.loop(of: space), default: []].append(name)
            if !asked.values.contains(where: { $0.permit?.space == space }) {
                (moments[space], queues[space], waiting[space]) = (nil, nil, nil)
                pendingSpaces.remove(space)
            }
        }
        for (loop, names) in byLoop { live.post(to: loop) { $0.steeredBranches[number]?.unwatch(names) } }
    }

    /// A row that the client wants to have while the stream is open.
    typealias WantedPresence = (name: String, space: SpaceName, request: PresenceRequest)

    /// Takes rows of the client, one after the other, and calls `done` with the first problem. Then the client has the rows
    /// that it had before.
    func join(_ wanted: [WantedPresence], _ done: @escaping (Problem?) -> Void) {
        join(wanted, before: [], done)
    }

    private func join(
        _ wanted: [WantedPresence], before: [(name: String, wanted: WantedPresence?)],
        _ done: @escaping (Problem?) -> Void
    ) {
        guard let first = wanted.first else { return done(nil) }
        joinOne(first) { [self] problem in
            guard let problem else {
                let old = (first.name, presences.updateValue(first, forKey: first.name))
                return join(Array(wanted.dropFirst()), before: before + [old], done)
            }
            leave(before.filter { $0.wanted == nil }.map(\.name))
            join(before.compactMap(\.wanted), before: []) { _ in done(problem) }
        }
    }

    private func joinOne(_ wanted: WantedPresence, _ done: @escaping (Problem?) -> Void) {
        let loop = live.loop(of: wanted.space)
        open(loop)
        let (number, own) = (number, live.index)
        let owned = Confined(done)
        live.post(to: loop) { branchLoop in
            guard let branch = branchLoop.steeredBranches[number] else { return }
            branch.join(wanted.request, wanted.name, in: wanted.space) { problem in
                let answer = Returned(problem)
                branchLoop.post(to: own) { _ in owned.value(answer.take()) }
            }
        }
    }

    /// Gives up rows of the client.
    func leave(_ names: [String]) {
        let number = number
        for name in names {
            guard let space = presences.removeValue(forKey: name)?.space else { continue }
            live.post(to: live.loop(of: space)) { $0.steeredBranches[number]?.leave([name]) }
        }
    }

    /// Begins to send, unless a space is behind what the client has seen.
    func begin(_ responder: Responder) {
        guard !isEnded else { return }
        guard responder.isOpen else { return end() }
        if isBehind {
            responder.answer(.behind)
            return end()
        }
        if isDirty { endTurn() }
        isStarted = true
        responder.stream(self, isNegotiated: false)
    }

    /// Takes the present features: permits that no longer hold are issued anew, and views that were missing are looked
    /// for. `find` returns the wish of a name.
    func noteFeatures(_ registry: Registry, _ find: (String, String?, Account) -> Wish) {
        let changed = asked.filter { !($0.value.permit?.holds(by: registry) ?? false) }
        guard !changed.isEmpty else { return }
        var wanted: [Wish] = []
        for (name, view) in changed {
            let wish = find(name, view.tag, account)
            if view.permit == nil, case .failure = wish.permit { continue }
            unwatch([name])
            wanted.append(wish)
        }
        if !wanted.isEmpty { watch(wanted) }
    }

    // MARK: Changes by the client

    /// The place of a change in the order of changes.
    enum StepPlace {
        case next
        /// It was applied, with this answer.
        case repeated(Int)
        case early
    }

    /// Returns the place of a change by its number.
    func place(of step: Int) -> StepPlace {
        if step <= lastStep { return .repeated(answers[step] ?? watchedCount) }
        return step == lastStep + 1 && !isChanging ? .next : .early
    }

    /// Notes that a change is being applied, which may wait for rows of the client.
    func beginStep() { isChanging = true }

    /// Ends a change, with its number if it was applied.
    func endStep(_ step: Int?) {
        isChanging = false
        if let step {
            lastStep = step
            answers[step] = watchedCount
            answers[step - Self.answersLimit] = nil
        }
        let ready = waitingSteps.filter { $0.step <= lastStep + 1 }
        waitingSteps.removeAll { $0.step <= lastStep + 1 }
        for one in ready.sorted(by: { $0.step < $1.step }) { one.take() }
    }

    /// Lets a change wait for those before it, until a deadline. Returns false if it has waited long enough.
    func wait(for step: Int, until deadline: Int64, _ take: @escaping () -> Void, late: @escaping () -> Void) -> Bool {
        let left = deadline - delivery.now
        guard left > 0, waitingSteps.count < Self.answersLimit else { return false }
        let one = WaitingStep(step, take)
        waitingSteps.append(one)
        delivery.after(nanoseconds: left) { [weak self] in
            guard let self else { return late() }
            guard let index = waitingSteps.firstIndex(where: { $0 === one }) else { return }
            waitingSteps.remove(at: index)
            late()
        }
        return true
    }

    // MARK: News

    /// Takes the news of a loop.
    func hear(_ news: SteeredNews, from loop: Int) {
        guard !isEnded else { return }
        branches[loop] = max(branches[loop] ?? 0, news.common)
        for update in news.updates { waiting[update.space, default: []].append(update) }
        if news.isBehind, !isStarted { return refuse() }
        if let space = news.moved { follow(space) }
        noteDirty()
        for number in news.granted {
            ungranted[number]?.loops.remove(loop)
            guard let wish = ungranted[number], wish.loops.isEmpty else { continue }
            ungranted[number] = nil
            endTurn()
            wish.done()
        }
    }

    /// Gives up a stream that has not started, because a space is behind: nobody waits for the wishes any longer.
    private func refuse() {
        isBehind = true
        let left = ungranted.sorted { $0.key < $1.key }
        ungranted = [:]
        for (_, wish) in left { wish.done() }
    }

    /// Asks for the views of a space again, on the loop that it has moved to.
    private func follow(_ space: SpaceName) {
        let views = asked.filter { $0.value.permit?.space == space }.sorted { $0.key < $1.key }
        unwatch(views.map(\.key))
        if !views.isEmpty { watch(views.map { live.findWish($0.key, $0.value.tag, account) }) }
    }

    private func noteDirty() {
        guard !isDirty else { return }
        isDirty = true
        delivery.noteDirty(self)
    }

    func endTurn() {
        isDirty = false
        // A commit in `common` is one event: an update waits until all loops have told its version.
        let common = isImpatient || branches.count < 2 ? Int.max : branches.values.min() ?? 0
        isImpatient = false
        var isHeld = false
        for space in waiting.keys.sorted() {
            while let update = waiting[space]?.first, update.moment.common <= common {
                waiting[space]?.removeFirst()
                take(update)
            }
            if waiting[space]?.isEmpty ?? true { waiting[space] = nil } else { isHeld = true }
        }
        if isHeld { setAlarm() }
        if isStarted, hasNews { connection.wake() }
    }

    private func setAlarm() {
        guard !isAlarmSet else { return }
        isAlarmSet = true
        delivery.after(nanoseconds: LiveBroadcaster.patienceNanoseconds) { [weak self] in
            guard let self else { return }
            isAlarmSet = false
            isImpatient = true
            noteDirty()
        }
    }

    private func take(_ update: SteeredUpdate) {
        moments[update.space] = update.moment
        queues[update.space] = update.queue
        pendingSpaces.insert(update.space)
        if update.isReset { pendingResets.insert(update.space) }
        for change in update.changes where asked[change.name] != nil { take(change) }
    }

    private func take(_ change: SteeredUpdate.ViewChange) {
        switch change.content {
        case .gone(let problem): pending[change.name] = .gone(problem)
        case .value(let value) where change.isReplica:
            if isStarted, pending[change.name] != nil { delivery.metrics.conflated += 1 }
            switch (pending[change.name], change.rows) {
            case (nil, let rows?) where rows.size <= ReplicaContent.partBytes:
                pending[change.name] = .rows(rows, value, opaque: change.opaque)
            case (.rows(var earlier, _, _)?, let rows?) where earlier.size + rows.size <= ReplicaContent.partBytes:
                earlier.add(rows)
                pending[change.name] = .rows(earlier, value, opaque: change.opaque)
            default: pending[change.name] = .replica(value, opaque: change.opaque)
            }
        case .value(let value):
            let earlier = pending[change.name]
            if isStarted, earlier != nil { delivery.metrics.conflated += 1 }
            var patch: [UInt8]?
            switch earlier {
            case nil: patch = change.patch
            case .patch(let before, _, _): patch = change.patch.map { Self.joined(before, $0) }
            case .value, .gone, .replica, .rows: break
            }
            if let patch, patch.count < value.size {
                pending[change.name] = .patch(patch, value, opaque: change.opaque)
            } else {
                pending[change.name] = .value(value, opaque: change.opaque)
            }
        }
    }

    /// Returns one patch that has the operations of two.
    private static func joined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        if first.count <= 2 { return second }
        if second.count <= 2 { return first }
        return first.dropLast() + [UInt8(ascii: ",")] + second.dropFirst()
    }

    private var hasNews: Bool { !parts.isEmpty || !pending.isEmpty || !pendingSpaces.isEmpty || !pendingResets.isEmpty }

    // MARK: Events

    func next() -> Piece? {
        if ending.isUnderWay { return ending.next(connection, delivery) }
        guard hasBegun else {
            hasBegun = true
            var text: [UInt8] = []
            EventText.retry(milliseconds: delivery.retryMilliseconds(), appendingTo: &text)
            EventText.event(
                name: "stream", data: Array("{\"stream\":\"\(id.text)\"}".utf8), appendingTo: &text)
            // There is always an event after the first one, also if the client has everything.
            appendEvent(to: &text)
            return Piece(text, isNewest: parts.isEmpty)
        }
        if !parts.isEmpty {
            var text: [UInt8] = []
            EventText.event(data: parts.removeFirst(), appendingTo: &text)
            return Piece(text, isNewest: parts.isEmpty)
        }
        guard hasNews else { return nil }
        var text: [UInt8] = []
        appendEvent(to: &text)
        return Piece(text, isNewest: parts.isEmpty)
    }

    private func appendEvent(to text: inout [UInt8]) {
        delivery.metrics.frames += 1
        let events = snapshotParts() + [event()]
        EventText.event(data: events[0], appendingTo: &text)
        parts = Array(events.dropFirst())
        pending = [:]
        pendingSpaces = []
        pendingResets = []
    }

    /// Takes the parts of large replicas, but for the last of each, which stands in the event with all others.
    private func snapshotParts() -> [[UInt8]] {
        lastParts = [:]
        var events: [[UInt8]] = []
        for (name, change) in pending.sorted(by: { $0.key < $1.key }) {
            guard case .replica(let value, _) = change else { continue }
            var parts = ReplicaContent.parts(of: value)
            lastParts[name] = parts.removeLast()
            for part in parts {
                var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
                writer.object { writer in
                    writer.field(name, written: part)
                    writer.field("_more", [name])
                }
                events.append(writer.bytes)
            }
        }
        return events
    }

    private func event() -> [UInt8] {
        let changes = pending.sorted { $0.key < $1.key }
        var (patches, tags, gone): ([(String, [UInt8])], [(String, String)], [(String, [UInt8])]) = ([], [], [])
        var rows: [(String, [UInt8])] = []
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        writer.object { writer in
            for (name, change) in changes {
                switch change {
                case .value(let value, let opaque):
                    writer.field(name, written: value.bytes)
                    tags.append((name, tag(of: name, opaque)))
                case .patch(let patch, _, let opaque):
                    patches.append((name, patch))
                    tags.append((name, tag(of: name, opaque)))
                case .replica(_, let opaque):
                    writer.field(name, written: lastParts[name] ?? [])
                    tags.append((name, tag(of: name, opaque)))
                case .rows(let changes, _, let opaque):
                    rows.append((name, changes.bytes))
                    tags.append((name, tag(of: name, opaque)))
                case .gone(let problem): gone.append((name, problem))
                }
            }
            Self.write(patches, as: "_patches", to: &writer)
            Self.write(rows, as: "_rows", to: &writer)
            if !tags.isEmpty {
                writer.field("_tags") { writer in
                    writer.object { writer in for (name, tag) in tags { writer.field(name, tag) } }
                }
            }
            let spaces = pendingSpaces.sorted()
            writer.field("_versions") { writer in
                writer.object { writer in
                    for space in spaces { writer.field("\(space)", versions(of: space)) }
                }
            }
            // The first event always has the member.
            if wishes.client != nil || !hasToldQueue {
                writer.field("_queue") { writer in
                    writer.object { writer in
                        for space in spaces where wishes.client != nil {
                            writer.field("\(space)", queues[space] ?? 0)
                        }
                    }
                }
            }
            if !pendingResets.isEmpty { writer.field("_reset", pendingResets.sorted().map { "\($0)" }) }
            Self.write(gone, as: "_gone", to: &writer)
        }
        hasToldQueue = true
        for (name, tag) in tags { asked[name]?.tag = tag }
        for (name, _) in gone { asked[name]?.tag = nil }
        do {
            return try writer.finish()
        } catch {
            preconditionFailure("values that were written cannot be put together: \(error)")
        }
    }

    private static func write(_ parts: [(String, [UInt8])], as name: String, to writer: inout JSONWriter) {
        guard !parts.isEmpty else { return }
        writer.field(name) { writer in
            writer.object { writer in for (name, bytes) in parts { writer.field(name, written: bytes) } }
        }
    }

    private func tag(of name: String, _ opaque: String) -> String {
        guard let space = asked[name]?.permit?.space else { return "" }
        return "\(versions(of: space))-\(opaque)"
    }

    private func versions(of space: SpaceName) -> String {
        moments[space].map { ShownVersions($0, of: space).text } ?? ""
    }

    // MARK: The end

    /// Ends the branches, and forgets the stream.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        release()
        live.closeSteered(id, number, on: Array(branches.keys))
        let steps = waitingSteps
        waitingSteps = []
        for one in steps { one.take() }
    }

    func left() {
        if isStarted { delivery.metrics.streams -= 1 }
        end()
    }
}

extension Problem {
    /// A problem as the failure of a result.
    struct ProblemFailure: Error {
        let problem: Problem
    }
}

/// The name of an open stream: 128 random bits, the loop that has it and, in a cluster, the node.
struct StreamName: Hashable, Sendable {
    private static let randomLength = 22

    let text: String
    /// The index of the loop.
    let loop: Int
    /// The node; nil on one machine.
    let node: String?

    /// A new name.
    init(loop: Int, node: String?) {
        var generator = SystemRandomNumberGenerator()
        let words = [generator.next(), generator.next()]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        (self.loop, self.node) = (loop, node)
        text = Base64URL.text(bytes) + String(loop, radix: 36) + (node.map { "." + $0 } ?? "")
    }

    /// Reads a name; nil if the text is none.
    init?(_ text: String) {
        guard text.utf8.count > Self.randomLength, text.utf8.count <= 128 else { return nil }
        let rest = text.dropFirst(Self.randomLength).split(separator: ".", maxSplits: 1)
        guard let first = rest.first, let loop = Int(first, radix: 36), loop >= 0 else { return nil }
        self.text = text
        self.loop = loop
        node = rest.count > 1 ? String(rest[1]) : nil
    }
}
