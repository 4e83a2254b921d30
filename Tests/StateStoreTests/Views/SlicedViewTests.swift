import Ground
import JSON
import ServerReads
@testable import StateStore
import Testing

/// Law CALM13: a view over many rows is made in slices, between which others are served.
struct SlicedViewTests {
    private func books(_ ids: some Sequence<Int>) -> Books {
        Books(books: ids.map { Book(id: $0, title: "\($0) \(String(repeating: "t", count: 60))", price: $0 % 1_000) })
    }

    /// A shelf with so many books that views take them in slices.
    private func large() throws -> ShelfStand {
        let stand = try ShelfStand()
        for part in 0..<6 { try stand.change(books(part * 1_000..<(part + 1) * 1_000)) }
        stand.tally.reset()
        return stand
    }

    /// Reads a view; the closure returns its value once it is there.
    private func ask(_ stand: ShelfStand, _ view: String) -> () -> ViewSnapshot? {
        let answer = Answered()
        stand.stores[0].read([view], in: .main) { answer.snapshot = try? $0.get() }
        return { answer.snapshot }
    }

    private final class Answered {
        var snapshot: ViewSnapshot?
        var isGone = false
    }

    private func size(_ snapshot: ViewSnapshot?) throws -> Int? {
        try snapshot.flatMap { try size($0.views[0].frame) }
    }

    private func size(_ frame: Frame) throws -> Int? {
        guard case .success(let value) = frame.value else { return nil }
        guard case .array(let rows) = try JSON(parsing: value.bytes) else { return nil }
        return rows.count
    }

    @Test func `actions and reads of the same space are answered while a view is made`() throws {
        let stand = try large()
        let titles = ask(stand, "shelf.titles")
        #expect(titles() == nil)
        stand.executor.runOne()
        stand.executor.runOne()
        // An action is answered at once, with another view of the space that is small.
        var version: Int?
        stand.stores[0].perform(
            Call(feature: "shelf", action: "change", input: try books([6_000]).json()), in: .main
        ) { version = try? $0.get().version }
        #expect(version == 7 && titles() == nil)
        var other: Int?
        stand.stores[0].perform(
            Call(feature: "shelf", action: "change", input: try books([1]).json()), in: .other
        ) { other = try? $0.get().version }
        #expect(other == 1)
        let early = stand.tally.taken("title")
        #expect(early < 3_000)
        stand.executor.runPosted()
        #expect(try size(titles()) == 6_001)
        #expect(titles()?.moment.version == 7)
        #expect(early + stand.tally.taken("title") == 6_001)
    }

    @Test(arguments: [SpaceName.common, .main])
    func `a view over many rows of common is made in slices, for a reader of any space`(_ space: SpaceName) throws {
        let stand = try ShelfStand(scope: .common)
        for part in 0..<6 { try stand.change(books(part * 1_000..<(part + 1) * 1_000), in: .common) }
        stand.tally.reset()
        var answers: [ViewSnapshot?] = []
        for _ in 0..<2 { stand.stores[0].read(["shelf.titles"], in: space) { answers.append(try? $0.get()) } }
        stand.executor.runOne()
        stand.executor.runOne()
        let early = stand.tally.taken("title")
        #expect(answers.isEmpty && early < 3_000)
        stand.stores[0].perform(
            Call(feature: "shelf", action: "change", input: try books([6_000]).json()), in: .common
        ) { _ in }
        #expect(stand.stores[0].shown(of: .common)?.common == 7)
        stand.executor.runPosted()
        #expect(try answers.map(size) == [6_001, 6_001])
        #expect(answers.allSatisfy { $0?.moment.common == 7 })
        #expect(early + stand.tally.taken("title") == 6_001)
        // It is maintained for the next reader.
        try stand.change(books([6_001]), in: .common)
        stand.tally.reset()
        stand.stores[0].read(["shelf.titles"], in: space) { answers.append(try? $0.get()) }
        #expect(answers.count == 3 && stand.tally.taken("title") < 10)
        #expect(try size(answers[2]) == 6_002)
        // A stream begins with the value that is there.
        var size: Int?
        let watch = stand.stores[0].watch(["shelf.titles"], in: space) { news in
            size = try? (news.get()).first.flatMap { try self.size($0.frame) }
        }
        stand.executor.runPosted()
        #expect(size == 6_002)
        withExtendedLifetime(watch) {}
    }

    @Test func `the value is that of one version, whatever was written meanwhile`() throws {
        let stand = try large()
        let (titles, all, plain) = (ask(stand, "shelf.titles"), ask(stand, "shelf.all"), ask(stand, "shelf.plain"))
        for round in 0..<12 {
            stand.executor.runOne()
            var input = books([round * 400, 7_000 + round])
            input.removed = [round * 300 + 1]
            stand.stores[0].perform(Call(feature: "shelf", action: "change", input: try input.json()), in: .main) { _ in
            }
        }
        stand.executor.runPosted()
        let fresh = try ShelfStand()
        for part in 0..<6 { try fresh.change(books(part * 1_000..<(part + 1) * 1_000)) }
        for round in 0..<12 {
            var input = books([round * 400, 7_000 + round])
            input.removed = [round * 300 + 1]
            try fresh.change(input)
        }
        for (view, answer) in [("titles", titles), ("all", all), ("plain", plain)] {
            let snapshot = try #require(answer())
            guard case .success(let value) = snapshot.views[0].frame.value else { throw Deadline() }
            #expect(value.bytes == (try fresh.value("shelf.\(view)")).bytes)
            #expect(snapshot.moment.version == 18)
        }
    }

    @Test func `a watch begins with the value of all rows, and goes on`() throws {
        let stand = try large()
        var sizes: [Int] = []
        let watch = stand.stores[0].watch(["shelf.titles", "shelf.first"], in: .main) { news in
            for (view, frame) in (try? news.get()) ?? [] where view == "shelf.titles" {
                guard case .success(let value) = frame.value, case .array(let rows)? = try? JSON(parsing: value.bytes)
                else { continue }
                sizes.append(rows.count)
            }
        }
        #expect(sizes.isEmpty)
        stand.executor.runPosted()
        #expect(sizes == [6_000])
        try stand.change(books([6_000]))
        #expect(sizes == [6_000, 6_001])
        withExtendedLifetime(watch) {}
    }

    @Test func `readers of one view share its slices`() throws {
        let stand = try large()
        let readers = (0..<5).map { _ in ask(stand, "shelf.titles") }
        stand.executor.runPosted()
        for reader in readers { #expect(try size(reader()) == 6_000) }
        #expect(stand.tally.taken("title") == 6_000)
        #expect(try size(ask(stand, "shelf.titles")()) == 6_000)
        #expect(stand.tally.taken("title") == 0)
    }

    // Law CALM16
    @Test func `a view is given up when the last of its readers has gone`() throws {
        let stand = try large()
        let isWanted = [Answered(), Answered()]
        var refusals = 0
        for reader in isWanted {
            stand.stores[0].read(.ofServer(["shelf.titles"], in: .main, stand.stores[0].registry)) {
                !reader.isGone
            } _: {
                if case .failure(.preparing) = $0 { refusals += 1 }
            }
        }
        for _ in 0..<2 { stand.executor.runOne() }
        isWanted[0].isGone = true
        for _ in 0..<3 { stand.executor.runOne() }
        // The other reader still waits.
        #expect(refusals == 1 && stand.stores[0].context.slices.count == 1)
        isWanted[1].isGone = true
        for _ in 0..<4 { stand.executor.runOne() }
        #expect(refusals == 2 && stand.stores[0].context.slices.count == 0)
        let taken = stand.tally.taken("title")
        #expect(taken > 0 && taken < 4_000)
        // The next reader gets the value of all rows.
        let titles = ask(stand, "shelf.titles")
        stand.executor.runPosted()
        #expect(try size(titles()) == 6_000)
        #expect(stand.tally.taken("title") == 6_000)
    }

    // Law CALM16
    @Test func `a watch that ends while its view is made ends the work`() throws {
        let stand = try large()
        var watch: Watch? = stand.stores[0].watch(["shelf.titles"], in: .main) { _ in }
        for _ in 0..<2 { stand.executor.runOne() }
        #expect(watch != nil && stand.stores[0].context.slices.count == 1)
        watch = nil
        for _ in 0..<3 { stand.executor.runOne() }
        #expect(stand.stores[0].context.slices.count == 0 && stand.tally.taken("title") < 3_000)
    }

    @Test func `an action that shows a view waits until that is made`() throws {
        let stand = try large()
        let titles = ask(stand, "shelf.titles")
        stand.executor.runOne()
        var answer: Answer?
        let call = Call(
            feature: "shelf", action: "change", input: try books([6_000]).json(),
            views: .ofServer(["shelf.first"], in: .main, stand.stores[0].registry))
        stand.stores[0].perform(call, in: .main) { answer = try? $0.get() }
        #expect(answer == nil)
        stand.executor.runPosted()
        #expect(answer?.views.count == 1 && answer?.version == 7)
        let version = try #require(titles()?.moment.version)
        #expect(try size(titles()) == 6_000 + version - 6)
    }

    @Test func `a deleted space answers those who wait with its new life`() throws {
        let stand = try large()
        let titles = ask(stand, "shelf.titles")
        stand.executor.runOne()
        stand.stores[0].forget(.main) { _ in }
        stand.executor.runPosted()
        #expect(try size(titles()) == 0)
        #expect(titles()?.moment.version == 0)
    }
}
