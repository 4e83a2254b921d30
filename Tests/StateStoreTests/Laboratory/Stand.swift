import JSON
import ServerReads
import StateStore

/// Stores on one executor with a threaded journal writer, driven by the test's thread.
final class Stand {
    let journal: FaultyJournal
    let executor = TestExecutor()
    let tally = Tally()
    let clock: Clock
    private let writer: ThreadedJournalWriter
    private var isClosed = false
    private let stores: Stores

    init(
        _ journal: FaultyJournal = FaultyJournal(), isShared: Bool = false, seed: UInt64 = 1, clock: Clock = Clock()
    ) throws {
        self.journal = journal
        self.clock = clock
        writer = try ThreadedJournalWriter(journal)
        journal.onAppend { [executor] in executor.post {} }
        stores = try Stores(
            .ledger(tally), executors: [executor], writer: writer, isShared: isShared, seed: seed, clock: { clock.now })
        executor.runPosted()
        // The registry looks at each view once.
        tally.reset()
    }

    deinit {
        close()
        executor.close()
    }

    /// Closes the journal, unless it is closed already.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        journal.release()
        writer.close()
    }

    var store: Store { stores[0] }

    /// Sends an action, as `feature/name`; the answer may come later.
    func send(
        _ action: String, _ name: String? = nil, _ amount: Int? = nil, in space: SpaceName = .main, key: String? = nil,
        ifVersion: Int? = nil,
        views: [String] = []
    ) -> Reply {
        let parts = action.split(separator: "/").map(String.init)
        var input = JSON.Object()
        if let name { input["name"] = .string(name) }
        if let amount { input["amount"] = .number(Decimal(amount)) }
        let reply = Reply()
        store.perform(
            Call(
                feature: parts[0], action: parts[1], input: try? JSON.object(input).json(), key: key,
                ifVersion: ifVersion,
                views: views.isEmpty ? nil : .ofServer(views, in: space, store.registry)),
            in: space
        ) { reply.result = $0 }
        return reply
    }

    /// Sends an action and waits for its answer.
    @discardableResult
    func post(
        _ action: String, _ name: String? = nil, _ amount: Int? = nil, in space: SpaceName = .main, key: String? = nil,
        ifVersion: Int? = nil,
        views: [String] = []
    ) throws -> String {
        try wait(for: send(action, name, amount, in: space, key: key, ifVersion: ifVersion, views: views))
    }

    func wait(for reply: Reply) throws -> String {
        try executor.run { reply.result != nil }
        return reply.told
    }

    /// Reads a view; the answer may come later.
    func ask(_ views: [String], in space: SpaceName = .main) -> Look {
        let look = Look()
        store.read(views, in: space) { look.result = $0 }
        return look
    }

    func read(_ views: String..., in space: SpaceName = .main) throws -> String {
        let look = ask(views, in: space)
        try executor.run { look.result != nil }
        return look.told
    }

    func watch(_ views: String..., in space: SpaceName = .main) -> Told {
        let told = Told()
        told.watch = store.watch(views, in: space) { [weak told] in told?.hear($0) }
        return told
    }

    /// Runs until no work is under way: reads all views, which waits until they are durable.
    func settle(_ spaces: SpaceName...) throws {
        for space in spaces { _ = try read("ledger.sum", in: space) }
    }

    /// Runs until the journal has received `count` appends since the beginning.
    func waitForAppend(_ number: Int) throws {
        try executor.run { journal.asked.count >= number }
    }

    /// The stored commits of a space.
    func commits(of space: SpaceName = .main) throws -> [CommitRecord] {
        guard case .commits(let commits) = try journal.read(space, after: 0, limit: .max) else { return [] }
        return commits
    }
}

/// A clock that the test sets.
final class Clock: @unchecked Sendable {
    // Sendable because only the test's thread, which runs the executor, accesses it.
    var now = Timestamp(microseconds: 1_700_000_000_000_000)

    func advance(hours: Int, microseconds: Int64 = 0) {
        now = Timestamp(microseconds: now.microseconds + Int64(hours) * 3_600_000_000 + microseconds)
    }
}

extension SpaceName {
    static let main = SpaceName("main")!
    static let other = SpaceName("other")!
}
