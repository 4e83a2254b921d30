import Reactive
import SQLiteJournal
import ServerReads
import StateStore
import Systems
import Testing

@Suite struct KilledStoresTests {
    private let scratch: Scratch
    private let registry: Registry

    init() throws {
        scratch = try Scratch()
        registry = try Registry(systems())
    }

    @Test(arguments: Durability.allCases)
    func
        `a server that is killed while eight act has all that was answered, nothing half, and the views that its commits make`(
            _ durability: Durability
        ) throws
    {
        var random = SplitMix64(seed: 11)
        var told: [String: [Int: String]] = [:]
        for _ in 0..<5 {
            let child = try Child("act", scratch.directory(), durability.rawValue)
            var lines: [String] = []
            for _ in 0..<Int.random(in: 20...400, using: &random) { lines.append(try #require(child.line())) }
            lines += child.kill()
            for line in lines where !line.hasPrefix("refused rejected") {
                let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
                try #require(parts.count == 3 && Int(parts[1]) != nil, "\(line)")
                told[parts[0], default: [:]][Int(parts[1]) ?? 0] = parts[2]
            }
            #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
            try look(for: told, durability)
        }
        #expect(told.count == 10)
    }

    private func look(for told: [String: [Int: String]], _ durability: Durability) throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability, history: .max)
        defer { journal.close() }
        let common = try commits(of: .common, in: journal)
        for (name, answers) in told {
            let space = try #require(SpaceName(name))
            let records = try commits(of: space, in: journal)
            #expect(records.map(\.version) == Array(1...records.count))
            for (version, answer) in answers {
                let record = try #require(
                    version <= records.count ? records[version - 1] : nil, "\(name) \(version) was answered and is lost"
                )
                #expect("\(record.action) \(String(decoding: record.input ?? [], as: UTF8.self))" == answer)
            }
            var isLoggedIn = false
            for record in records where record.action.hasPrefix("user/") {
                let isLogIn = record.action == "user/logIn"
                #expect(
                    record.facts.map(\.variable) == (isLoggedIn == isLogIn ? [] : ["user.isLoggedIn"])
                        + (isLogIn ? ["user.name"] : []))
                isLoggedIn = isLogIn
            }
            try compareViews(of: space, records, common, in: journal)
        }
    }

    private func commits(of space: SpaceName, in journal: SQLiteJournal) throws -> [CommitRecord] {
        guard case .commits(let commits) = try journal.read(space, after: 0, limit: .max) else { return [] }
        return commits
    }

    /// The state of a restarted server, compared with the state after applying the commits one by one.
    private func compareViews(
        of space: SpaceName, _ records: [CommitRecord], _ common: [CommitRecord], in journal: SQLiteJournal
    ) throws {
        let replay = Replay(of: space, registry)
        for record in common { try replay.play(record) }
        if space != .common { for record in records { try replay.play(record) } }
        let stores = try Stores(
            registry, executors: [SameHome()], writer: InlineJournalWriter(journal), seed: 1,
            clock: { Timestamp(microseconds: 0) }
        )
        let views =
            space == .common
            ? ["catalog.products", "catalog.discountRate"]
            : registry.views.filter { $0.parameters.isEmpty }.map(\.name.description)
        var reading: ViewSnapshot?
        stores[0].read(views, in: space) { reading = try? $0.get() }
        let shown = try #require(reading)
        #expect(shown.views.count == views.count)
        for (view, frame) in shown.views { #expect(replay.value(of: view) == frame.value, "\(view)") }
    }
}

/// The only thread there is.
private final class SameHome: Executor, @unchecked Sendable {
    // Sendable because there is only one thread.
    let scheduler: any Scheduler = VirtualScheduler()

    func post(_ job: @escaping @Sendable () -> Void) {
        job()
    }
}
