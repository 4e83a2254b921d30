import JSON
import Reactive
import ScriptedDocuments
import ServerReads
import StateStore

/// Stores whose features tests deploy as documents of a scripted compiler.
final class DeploymentStand {
    let journal: MemoryJournal
    let executors: [TestExecutor]
    let stores: Stores

    /// `faulty` appends to the journal, and `writer` does so for the stores.
    init(
        _ journal: MemoryJournal = MemoryJournal(), through faulty: FaultyJournal? = nil,
        by writer: (any JournalWriter)? = nil, executors count: Int = 1
    ) throws {
        self.journal = journal
        executors = (0..<count).map { _ in TestExecutor() }
        let program = try Registry([
            Feature("board", BoardState.init, BoardService.init) { BoardViewModel($0, Tally()) }, .documents(),
        ])
        stores = try Stores(
            program, library: DocumentLibrary(program, ScriptedCompiler()), executors: executors,
            writer: writer ?? InlineJournalWriter(faulty ?? journal), seed: 1, clock: { Timestamp(microseconds: 0) })
        settle()
    }

    deinit {
        for executor in executors { executor.close() }
    }

    /// Runs all executors until no job is waiting.
    func settle() {
        for _ in 0..<20 { for executor in executors { executor.runPosted() } }
    }

    /// Moves the clock of the executors.
    func advance(by duration: Duration) {
        for executor in executors { (executor.scheduler as? VirtualScheduler)?.advance(by: duration) }
        settle()
    }

    func store(of space: SpaceName) -> Store { stores[stores.index(of: space)] }

    /// Puts documents, or removes those that are nil.
    @discardableResult
    func deploy(_ documents: [String: JSON?], dropsState: Bool = false, migrated: [String: [String]] = [:]) -> String {
        let change = DocumentChange(
            documents, dropsState: dropsState, migrated: migrated, to: stores[0].documents)
        return send(change.call(by: ""), in: .common)
    }

    /// Performs an action.
    @discardableResult
    func act(_ action: String, _ input: JSON = [:], in space: SpaceName = .main) -> String {
        let parts = action.split(separator: "/").map(String.init)
        return send(Call(feature: parts[0], action: parts[1], input: try? input.json()), in: space)
    }

    func send(_ call: Call, in space: SpaceName) -> String {
        let reply = Reply()
        store(of: space).perform(call, in: space) { reply.result = $0 }
        settle()
        return reply.told
    }

    /// The value of a view, or the refusal.
    func read(_ view: String, in space: SpaceName = .main) -> String {
        let look = Look()
        store(of: space).read([view], in: space) { look.result = $0 }
        settle()
        return look.told
    }

    func watch(_ views: String..., in space: SpaceName = .main) -> Told {
        let told = watching(views, in: space)
        settle()
        return told
    }

    /// Begins a watch, without a turn of the executors.
    func watching(_ views: [String], in space: SpaceName) -> Told {
        let told = Told()
        told.watch = store(of: space).watch(views, in: space) { [weak told] in told?.hear($0) }
        return told
    }
}
