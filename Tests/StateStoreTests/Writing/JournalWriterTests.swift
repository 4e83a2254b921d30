import ServerReads
import StateStore
import Testing

struct JournalWriterTests {
    // Law D4
    @Test func `an action after the end of the writer fails`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        stand.close()
        #expect(try stand.post("ledger/add", "a", 1).hasPrefix("The journal is being closed"))
        #expect(try stand.commits().count == 1)
    }

    // Law D4
    @Test func `if one of several waiting calls breaks the space, the others wait again`() throws {
        let journal = FaultyJournal()
        let writer = LateReader(journal)
        let stores = try Stores(
            .ledger(), executors: [TestExecutor()], writer: writer, seed: 1, clock: { Timestamp(microseconds: 0) })
        let replies = (0..<3).map { _ in Reply() }
        for reply in replies {
            stores[0].perform(
                Call(
                    feature: "ledger", action: "stamp", views: .ofServer(["ledger.sum"], in: .main, stores[0].registry)),
                in: .main
            ) {
                reply.result = $0
            }
        }
        journal.failAppends(1)
        writer.answer()
        #expect(replies.map(\.told) == ["cannot write: the disk is full", "-", "-"])
        writer.answer()
        #expect(
            replies.map(\.told) == ["cannot write: the disk is full", "1 ledger.mark sum=0", "2 ledger.mark sum=0"])
    }

    // Law D10
    @Test func `actions of one turn are appended in one batch`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        let replies = (0..<20).map { _ in stand.send("ledger/add", "a", 1) }
        for (index, reply) in replies.enumerated() { #expect(try stand.wait(for: reply).hasPrefix("\(index + 2) ")) }
        #expect(stand.journal.asked.map(\.count) == [1, 20])
    }

    // Law D10
    @Test func `an endless sequence of turns does not delay the append`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        var replies: [Reply] = []
        // Each turn adds a commit, so no turn is the last. If the writer waited for the last one, the loop would never
        // end.
        while stand.journal.asked.count < 2, replies.count < 100_000 {
            replies.append(stand.send("ledger/add", "a", 1))
            stand.executor.runOne()
        }
        for reply in replies { _ = try stand.wait(for: reply) }
        #expect(replies.count < 100_000)
    }

    // Laws P8 and D6
    @Test func `with an inline writer, failures are handled within the call`() throws {
        let journal = FaultyJournal()
        let stores = try Stores(
            .ledger(), executors: [TestExecutor()], writer: InlineJournalWriter(journal), seed: 1,
            clock: { Timestamp(microseconds: 0) })
        let store = stores[0]
        var told: [String] = []
        let call = Call(
            feature: "ledger", action: "add", input: Array(#"{"name":"a"}"#.utf8),
            views: .ofServer(["ledger.sum"], in: .main, store.registry))
        func again(_ result: Result<Answer, Refusal>) {
            let reply = Reply()
            reply.result = result
            told.append(reply.told)
            if told.count < 4 { store.perform(call, in: .main, again) }
        }
        journal.failAppends(2)
        store.perform(call, in: .main, again)
        journal.intrude(.amount("b", 1, sum: 3, version: 3))
        store.perform(call, in: .main, again)
        let full = "cannot write: the disk is full"
        #expect(told == [full, full] + [(1, 1), (2, 2), (4, 4)].map { "\($0) ledger.sum,ledger.amounts sum=\($1)" })
    }
}

/// A writer that appends at once, and reads on command.
private final class LateReader: JournalWriter, @unchecked Sendable {
    // Sendable because there is one thread.
    private let inner: InlineJournalWriter
    private var readings: [() -> Void] = []

    init(_ journal: any Journal) {
        inner = InlineJournalWriter(journal)
    }

    var journal: any Journal { inner.journal }

    func submit(_ submission: Submission) -> SubmitResult {
        inner.submit(submission)
    }

    func load(_ request: LoadRequest) {
        readings.append { [inner] in inner.load(request) }
    }

    func read<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        readings.append { [inner] in inner.read(for: executor, work, then: then) }
    }

    /// Serves the waiting reads.
    func answer() {
        let due = readings
        readings = []
        for reading in due { reading() }
    }

    func write<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        read(for: executor, work, then: then)
    }

    func close() -> JournalFailure? {
        inner.close()
    }
}
