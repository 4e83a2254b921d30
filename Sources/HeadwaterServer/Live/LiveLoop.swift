import Ground
import HTTP
import StateStore

/// The live streams of one loop, and the branches that tell those of all loops about the spaces of this one.
final class LiveLoop: SpaceListener {
    let delivery: Delivery
    let executor: LoopExecutor
    let journal: any Journal
    let index: Int
    /// The reader of values that clients which come back have.
    let past: PastReader
    private let stores: Stores
    /// The live streams of all loops, by the index of the loop.
    private var peers: [LivePeer] = []
    private var broadcasters: [LiveSelection: LiveBroadcaster] = [:]
    private var numbers: [Int: LiveBroadcaster] = [:]
    /// The loops that have a branch of each broadcaster, by its number.
    private var loopsOf: [Int: [Int]] = [:]
    private var lastNumber = 0
    private var branches: [LiveNumber: LiveBranch] = [:]
    /// The steered streams of this loop, by their names, and the branches of those of all loops.
    private(set) var steered: [String: SteeredStream] = [:]
    private var steeredNumbers: [Int: SteeredStream] = [:]
    private(set) var steeredBranches: [LiveNumber: SteeredBranch] = [:]
    /// Finds a view by the name that a client has written.
    var findWish: (String, String?, Account) -> SteeredStream.Wish = { name, tag, _ in
        SteeredStream.Wish(
            name: name, tag: tag,
            permit: .failure(Problem.ProblemFailure(problem: Problem(.noSuchView, "there is no view \(name)"))))
    }

    init(
        _ index: Int, _ delivery: Delivery, _ journal: any Journal, _ past: PastReader, _ stores: Stores,
        on executor: LoopExecutor
    ) {
        self.index = index
        self.past = past
        self.delivery = delivery
        self.journal = journal
        self.stores = stores
        self.executor = executor
        delivery.listener = self
        delivery.store.queueMoved = { [weak self] space in self?.noteQueue(in: space) }
    }

    /// The reference for other loops.
    var peer: LivePeer { LivePeer(self, on: executor) }

    /// Takes the references to the live streams of all loops.
    func meet(_ peers: [LivePeer]) { self.peers = peers }

    /// Releases all broadcasters, which own this object, at the end of the service.
    func release() {
        for broadcaster in numbers.values { broadcaster.release() }
        broadcasters = [:]
        numbers = [:]
        loopsOf = [:]
        branches = [:]
        steered = [:]
        steeredNumbers = [:]
        steeredBranches = [:]
    }

    // MARK: Streams

    /// Returns the broadcaster of a selection, which all its streams of this loop share.
    func broadcaster(for selection: LiveSelection) -> LiveBroadcaster {
        if let broadcaster = broadcasters[selection] { return broadcaster }
        lastNumber += 1
        let name = LiveNumber(loop: index, number: lastNumber)
        let loops = selection.parts.map { stores.index(of: $0.space) }
        let used = Array(Set(loops)).sorted()
        let branchOfPart = loops.map { used.firstIndex(of: $0) ?? 0 }
        let broadcaster = LiveBroadcaster(selection, branchOfPart, name, self)
        loopsOf[name.number] = used
        broadcasters[selection] = broadcaster
        numbers[name.number] = broadcaster
        for (branch, loop) in used.enumerated() {
            let parts = selection.parts.indices.filter { branchOfPart[$0] == branch }
            let back = peers[index]
            peers[loop].post { $0.open(name, branch, selection, parts, back) }
        }
        return broadcaster
    }

    /// Asks all branches of a broadcaster for news, with what this loop shows of `common` or more.
    func refresh(_ broadcaster: LiveBroadcaster, _ number: Int) {
        let (name, common) = (broadcaster.name, delivery.store.shownCommon)
        for loop in loopsOf[name.number] ?? [] {
            peers[loop].post { $0.branches[name]?.refresh(number, common: common) }
        }
    }

    /// Forgets a broadcaster that has no streams any more.
    func close(_ broadcaster: LiveBroadcaster) {
        let name = broadcaster.name
        guard numbers.removeValue(forKey: name.number) != nil else { return }
        if broadcasters[broadcaster.selection] === broadcaster { broadcasters[broadcaster.selection] = nil }
        for loop in loopsOf.removeValue(forKey: name.number) ?? [] {
            peers[loop].post { $0.end(name) }
        }
    }

    /// Takes the news that a branch tells a broadcaster of this loop.
    func hear(_ news: LiveNews, for number: Int, from branch: Int) {
        numbers[number]?.hear(news, from: branch)
    }

    /// Ends the streams of views whose rules are other ones now: their clients come back, and get new permits. Streams go
    /// on if all such views are gone.
    func noteFeatures() {
        for branch in branches.values { branch.noteFeatures() }
        for broadcaster in Array(numbers.values) {
            let parts = broadcaster.selection.parts
            guard parts.contains(where: { delivery.isOutdated($0.permit) }) else { continue }
            broadcaster.endAll(
                gone: parts.flatMap { part in delivery.gone(among: part.permit).map { "\(part.space)/\($0)" } })
        }
        let registry = delivery.store.registry
        for stream in Array(steered.values) { stream.noteFeatures(registry, findWish) }
    }

    // MARK: Branches

    private func open(
        _ name: LiveNumber, _ branch: Int, _ selection: LiveSelection, _ parts: [Int], _ back: LivePeer
    ) {
        let branch = LiveBranch(selection, parts, of: self) { news in
            back.post { $0.hear(news, for: name.number, from: branch) }
        }
        branches[name] = branch
        branch.begin()
    }

    private func end(_ name: LiveNumber) {
        branches[name] = nil
    }

    func noteForgotten(_ space: SpaceName) {
        for branch in branches.values { branch.noteForgotten(space) }
        for branch in steeredBranches.values { branch.noteForgotten(space) }
    }

    func leave(_ space: SpaceName) {
        for branch in branches.values { branch.leave(space) }
        for branch in steeredBranches.values { branch.leave(space) }
    }

    func noteCommon() {
        for branch in branches.values { branch.noteDirty() }
        for branch in steeredBranches.values { branch.noteCommon() }
    }

    private func noteQueue(in space: SpaceName) {
        for branch in steeredBranches.values { branch.noteQueue(in: space) }
    }

    // MARK: Steered streams

    /// The index of the loop that has a space.
    func loop(of space: SpaceName) -> Int { stores.index(of: space) }

    /// Runs a job on a loop, after all jobs that this loop has posted there before.
    func post(to loop: Int, _ job: @escaping @Sendable (LiveLoop) -> Void) { peers[loop].post(job) }

    /// Makes a steered stream of this loop.
    func openStream(
        node: String?, _ wishes: SteeredBranch.Wishes, _ place: StreamPlace, _ connection: Connection
    ) -> SteeredStream {
        lastNumber += 1
        let name = StreamName(loop: index, node: node)
        let stream = SteeredStream(name, LiveNumber(loop: index, number: lastNumber), wishes, place, connection, self)
        steered[name.text] = stream
        steeredNumbers[lastNumber] = stream
        return stream
    }

    /// Begins the branch of a steered stream on a loop.
    func openSteered(_ number: LiveNumber, _ wishes: SteeredBranch.Wishes, on loop: Int) {
        let back = peers[index]
        peers[loop].post { other in
            other.steeredBranches[number] = SteeredBranch(wishes, of: other) { news in
                back.post { $0.steeredNumbers[number.number]?.hear(news, from: loop) }
            }
        }
    }

    /// Forgets a steered stream, and ends its branches.
    func closeSteered(_ name: StreamName, _ number: LiveNumber, on loops: [Int]) {
        steered[name.text] = nil
        steeredNumbers[number.number] = nil
        for loop in loops { peers[loop].post { $0.steeredBranches.removeValue(forKey: number)?.end() } }
    }
}

/// A reference to the live streams of a loop, for other loops.
final class LivePeer: Sendable {
    private let executor: LoopExecutor
    private let place: Confined<WeakLoop>

    private final class WeakLoop {
        weak var live: LiveLoop?
        init(_ live: LiveLoop) { self.live = live }
    }

    init(_ live: LiveLoop, on executor: LoopExecutor) {
        self.executor = executor
        place = Confined(WeakLoop(live))
    }

    /// Runs a job on the loop, after all jobs that were posted before.
    func post(_ job: @escaping @Sendable (LiveLoop) -> Void) {
        executor.post { [place] in if let live = place.value.live { job(live) } }
    }
}
