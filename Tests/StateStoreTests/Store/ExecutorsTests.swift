import ServerReads
import StateStore
import Testing

/// Stores on two threads.
struct ExecutorsTests {
    private let executors = [ThreadExecutor(), ThreadExecutor()]
    private let writer: ThreadedJournalWriter
    private let stores: Stores
    private let spaces: [[SpaceName]]

    init() throws {
        writer = try ThreadedJournalWriter(MemoryJournal())
        stores = try Stores(
            .ledger(), executors: executors, writer: writer, seed: 1, clock: { Timestamp(microseconds: 0) })
        let names = (0..<40).compactMap { SpaceName("s\($0)") }
        spaces = [0, 1].map { [stores] executor in names.filter { stores.index(of: $0) == executor } }
    }

    private func close() {
        for executor in executors { executor.close() }
        writer.close()
    }

    private func post(_ action: String, _ amount: Int, in space: SpaceName) throws -> Promise<Int> {
        let promise = Promise<Int>()
        let index = stores.index(of: space)
        let parts = action.split(separator: "/").map(String.init)
        executors[index].post { [stores] in
            let call = Call(
                feature: parts[0], action: parts[1], input: Array("{\"name\":\"a\",\"amount\":\(amount)}".utf8))
            stores[index].perform(call, in: space) { promise.keep((try? $0.get().version) ?? -1) }
        }
        return promise
    }

    private func read(_ view: String, in space: SpaceName) throws -> String {
        let index = stores.index(of: space)
        return try executors[index].ask { [stores] keep in
            stores[index].read([view], in: space) { keep((try? $0.get()).map { Watch.told($0.views) } ?? "refused") }
        }
    }

    @Test func `spaces are distributed over the executors, and common is on the first`() {
        defer { close() }
        #expect(spaces[0].count > 5 && spaces[1].count > 5)
        #expect(stores.index(of: .common) == 0)
    }

    // Law M1
    @Test func `an action in common is answered only when every executor shows it`() throws {
        defer { close() }
        let far = spaces[1][0]
        #expect(try read("ledger.worth", in: far) == "worth=[0,1,0]")
        executors[1].hold()
        let answer = try post("rates/set", 7, in: .common)
        // The first executor shows the commit, and only then the test checks for the answer.
        while try read("rates.rate", in: .common) != "rate=7" {}
        #expect(!answer.isKept)
        executors[1].release()
        #expect(try answer.wait() == 1)
        #expect(try read("ledger.worth", in: far) == "worth=[0,7,0]")
        #expect(try read("ledger.worth", in: spaces[0][0]) == "worth=[0,7,0]")
    }

    // Laws M2 and P6
    @Test func `spaces on all executors derive from common during concurrent changes`() throws {
        defer { close() }
        let watched = [spaces[0][0], spaces[1][0]]
        let last = watched.map { _ in Promise<[[Int]]>() }
        for (space, promise) in zip(watched, last) {
            let index = stores.index(of: space)
            executors[index].post { [stores] in
                let log = Log()
                log.watch = stores[index].watch(["ledger.sum", "rates.rate", "ledger.worth"], in: space) { news in
                    log.take(news)
                    if log.rows.last == [30, 30, 900] {
                        promise.keep(log.rows)
                        log.watch = nil
                    }
                }
            }
        }
        let answers = try (1...30).flatMap { number in
            [try post("rates/set", number, in: .common)] + (try watched.map { try post("ledger/add", 1, in: $0) })
        }
        for answer in answers { #expect(try answer.wait() >= 0) }
        for promise in last {
            let rows = try promise.wait()
            #expect(rows.allSatisfy { $0[2] == $0[0] * $0[1] })
            #expect(zip(rows, rows.dropFirst()).allSatisfy { $0[0] <= $1[0] && $0[1] <= $1[1] })
        }
    }

    /// The values of sum, rate and worth after each delivery of a watch.
    private final class Log {
        var watch: Watch?
        var rows: [[Int]] = []
        private var shown: [ViewKey: Int] = [:]

        func take(_ news: Result<ViewFrames, Refusal>) {
            for (view, frame) in (try? news.get()) ?? [] {
                guard case .success(let value) = frame.value else { continue }
                let numbers = String(decoding: value.bytes, as: UTF8.self).split { !$0.isNumber }.compactMap { Int($0) }
                shown[view] = numbers.last
            }
            rows.append(["ledger.sum", "rates.rate", "ledger.worth"].map { shown[$0] ?? 0 })
        }
    }
}
