import Foundation
import StateStore

/// A journal in memory that, on command, fails, blocks, inserts commits of others, and delays notifications.
final class FaultyJournal: Journal, @unchecked Sendable {
    // Sendable because the commands are accessed only while the condition is held.
    let kept: MemoryJournal
    private let condition = NSCondition()
    private var appendsToFail = 0
    private var loadsToFail = 0
    private var isForgettingToFail = false
    /// A space whose next load fails.
    private var unreadable: SpaceName?
    /// The outcomes of the next appends: true to fail.
    private var failing: [Bool] = []
    private var isHeld = false
    private var areNewsHeld = false
    private var listeners: [@Sendable () -> Void] = []
    private var heldNews: [@Sendable () -> Void] = []
    private var intrusions: [[CommitRecord]] = []
    private var batches: [[CommitRecord]] = []
    /// Decides for each append whether it fails.
    private var chance: (() -> Bool)?

    static let full = JournalFailure(.cannotWrite, "cannot write: the disk is full")
    static let unreadable = JournalFailure(.damaged, "cannot read")

    init(_ kept: MemoryJournal = MemoryJournal()) {
        self.kept = kept
    }

    private var isAtOnce = false
    private var refusals = 0
    private var batchesAtOnce: [[CommitRecord]] = []
    private var loads: [[SpaceName]] = []

    // MARK: Commands

    /// Makes the journal append at once from now on.
    func allowAppendsAtOnce() {
        condition.withLock { isAtOnce = true }
    }

    /// Makes the next `count` appends at once return nil, because they would wait.
    func refuseAppendsAtOnce(_ count: Int) {
        condition.withLock { refusals = count }
    }

    /// The commits that were appended at once, call by call.
    var atOnce: [[CommitRecord]] { condition.withLock { batchesAtOnce } }

    /// The spaces that were loaded, call by call.
    var loaded: [[SpaceName]] { condition.withLock { loads } }

    /// Makes the next appends fail: `count` of them or, if nil, all until further notice.
    func failAppends(_ count: Int = .max) {
        condition.withLock { appendsToFail = count }
    }

    /// Makes the append under way succeed and the next one fail.
    func failSecondAppend() {
        condition.withLock { failing = [false, true] }
    }

    func failLoad(of space: SpaceName) {
        condition.withLock { unreadable = space }
    }

    /// Makes the next deletion fail.
    func failForgetting() {
        condition.withLock { isForgettingToFail = true }
    }

    func failLoads(_ count: Int = .max) {
        condition.withLock { loadsToFail = count }
    }

    /// Makes appends fail at random from now on.
    func fail(by chance: (() -> Bool)?) {
        condition.withLock { self.chance = chance }
    }

    /// Makes appends wait until `release`.
    func hold() {
        condition.withLock { isHeld = true }
    }

    func release() {
        condition.withLock {
            isHeld = false
            condition.broadcast()
        }
    }

    /// Runs `body` at the start of each append, before it waits.
    func onAppend(_ listener: @escaping @Sendable () -> Void) {
        condition.withLock { listeners.append(listener) }
    }

    /// Stores commits of another server right before the next append.
    func intrude(_ commits: CommitRecord...) {
        condition.withLock { intrusions.append(commits) }
    }

    /// Holds back the notifications of followers.
    func holdNews() {
        condition.withLock { areNewsHeld = true }
    }

    /// Sends the held notifications in a given order.
    func releaseNews(in order: ([@Sendable () -> Void]) -> [@Sendable () -> Void] = { $0 }) {
        let news = condition.withLock {
            defer { heldNews = [] }
            areNewsHeld = false
            return heldNews
        }
        for one in order(news) { one() }
    }

    /// The commits to append, call by call.
    var asked: [[CommitRecord]] { condition.withLock { batches } }

    // MARK: Journal

    func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        let (isFailing, intrusion) = enter(commits)
        if let intrusion { _ = try kept.append(intrusion) }
        if isFailing { throw Self.full }
        return try kept.append(commits)
    }

    var appendsAtOnce: Bool { condition.withLock { isAtOnce } }

    func appendAtOnce(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]? {
        let (mustWait, isFailing) = condition.withLock {
            if refusals > 0 {
                refusals -= 1
                return (true, false)
            }
            guard appendsToFail > 0 else {
                batchesAtOnce.append(commits)
                return (false, false)
            }
            appendsToFail -= appendsToFail == .max ? 0 : 1
            return (false, true)
        }
        if mustWait { return nil }
        if isFailing { throw Self.full }
        return try kept.append(commits)
    }

    func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>] {
        condition.withLock { loads.append(spaces) }
        return spaces.map { space in
            do throws(JournalFailure) {
                return .success(try load(space))
            } catch {
                return .failure(error)
            }
        }
    }

    private func enter(_ commits: [CommitRecord]) -> (isFailing: Bool, intrusion: [CommitRecord]?) {
        condition.lock()
        defer { condition.unlock() }
        batches.append(commits)
        for listener in listeners { listener() }
        while isHeld { condition.wait() }
        var isFailing = chance?() ?? false
        if !failing.isEmpty { isFailing = failing.removeFirst() }
        if appendsToFail > 0 {
            appendsToFail -= appendsToFail == .max ? 0 : 1
            isFailing = true
        }
        return (isFailing, intrusions.isEmpty ? nil : intrusions.removeFirst())
    }

    func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? {
        let isFailing = condition.withLock {
            if unreadable == space {
                unreadable = nil
                return true
            }
            guard loadsToFail > 0 else { return false }
            loadsToFail -= loadsToFail == .max ? 0 : 1
            return true
        }
        if isFailing { throw Self.unreadable }
        return try kept.load(space)
    }

    func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        try kept.read(space, after: version, limit: limit)
    }

    func answer(_ space: SpaceName, key: String, since earliest: Timestamp) throws(JournalFailure) -> StoredAnswer? {
        try kept.answer(space, key: key, since: earliest)
    }

    func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        try kept.spaces(after: name, limit: limit)
    }

    func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        try kept.spacesWithWork(after: name, limit: limit)
    }

    func forget(_ space: SpaceName) throws(JournalFailure) -> Bool {
        let isFailing = condition.withLock {
            defer { isForgettingToFail = false }
            return isForgettingToFail
        }
        if isFailing { throw Self.full }
        return try kept.forget(space)
    }

    func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        kept.follow { [weak self] records in
            let isHeld = self?.condition.withLock {
                guard let self, self.areNewsHeld else { return false }
                self.heldNews.append { receive(records) }
                return true
            }
            if isHeld != true { receive(records) }
        }
    }

    var lives: LifeTable { kept.lives }

    var erasureCount: Int { kept.erasureCount }

    var digestKey: DigestKey { kept.digestKey }

    func probe() throws(JournalFailure) { try kept.probe() }

    func close() -> JournalFailure? { kept.close() }
}
