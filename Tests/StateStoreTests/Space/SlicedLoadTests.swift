import JSON
import ServerReads
import StateStore
import Testing

/// Law CALM14: the facts of a large space are read in slices, between which other spaces are served.
struct SlicedLoadTests {
    private func books(_ ids: some Sequence<Int>) -> Books {
        Books(books: ids.map { Book(id: $0, title: "\($0)", price: $0) })
    }

    /// A journal with 6,000 books in each of some spaces.
    private func full(in spaces: [SpaceName] = [.main]) throws -> MemoryJournal {
        let journal = MemoryJournal()
        let stand = try ShelfStand(journal)
        for space in spaces {
            for part in 0..<6 { try stand.change(books(part * 1_000..<(part + 1) * 1_000), in: space) }
        }
        return journal
    }

    private func titles(_ stand: ShelfStand) throws -> Int {
        guard case .array(let rows) = try JSON(parsing: try stand.value("shelf.titles").bytes) else { return -1 }
        return rows.count
    }

    @Test func `other spaces are served while a large one is loaded`() throws {
        let stand = try ShelfStand(try full())
        var own: Result<Answer, Refusal>?
        let call = Call(feature: "shelf", action: "change", input: try books([6_000]).json())
        stand.stores[0].perform(call, in: .main) { own = $0 }
        for _ in 0..<3 {
            stand.executor.runOne()
            var other: Int?
            stand.stores[0].perform(call, in: .other) { other = try? $0.get().version }
            #expect(other != nil && own == nil)
        }
        stand.executor.runPosted()
        #expect(try own?.get().version == 7)
        #expect(try titles(stand) == 6_001)
    }

    @Test func `a load in slices gives the state that a load at once gives`() throws {
        let journal = try full()
        let (one, other) = (try ShelfStand(journal), try ShelfStand(journal))
        // A read makes the feature when the space is loaded; a load for nothing makes it later.
        other.stores[0].whenHere(.main) { _ in }
        other.executor.runPosted()
        for view in ["titles", "all", "first", "plain"] {
            #expect(try one.value("shelf.\(view)").bytes == other.value("shelf.\(view)").bytes)
        }
    }

    @Test func `a space that is deleted while it is loaded begins anew`() throws {
        let stand = try ShelfStand(try full())
        let count = Count()
        stand.stores[0].read(["shelf.titles"], in: .main) { count.snapshot = try? $0.get() }
        stand.executor.runOne()
        stand.stores[0].forget(.main) { _ in }
        stand.executor.runPosted()
        #expect(count.snapshot != nil)
        #expect(try titles(stand) == 0)
        try stand.change(books([1]))
        #expect(try titles(stand) == 1)
    }

    /// Law CALM15: beside the state, the facts of one large space are in memory.
    @Test func `large spaces are loaded one after the other`() throws {
        let journal = try full(in: [.main, .other])
        let stand = try ShelfStand(journal)
        let counts = [Count(), Count(), Count()]
        for (count, space) in zip(counts, [SpaceName.main, .other, .main]) {
            stand.stores[0].read(["shelf.titles"], in: space) { count.snapshot = try? $0.get() }
        }
        // The one that waits is not there when the first one is.
        while counts[0].snapshot == nil { stand.executor.runOne() }
        #expect(counts[1].snapshot == nil && counts[2].snapshot != nil)
        stand.executor.runPosted()
        #expect(counts.allSatisfy { $0.snapshot != nil })
        #expect(try titles(stand) == 6_000)
    }

    @Test func `a large space that is deleted while it waits gives its turn on`() throws {
        let stand = try ShelfStand(try full(in: [.main, .other]))
        let (one, other) = (Count(), Count())
        stand.stores[0].read(["shelf.titles"], in: .main) { one.snapshot = try? $0.get() }
        stand.stores[0].read(["shelf.titles"], in: .other) { other.snapshot = try? $0.get() }
        stand.executor.runOne()
        stand.stores[0].forget(.other) { _ in }
        stand.executor.runPosted()
        #expect(one.snapshot != nil && other.snapshot != nil)
        #expect(try titles(stand) == 6_000)
    }

    @Test func `a large space waits for memory, and is refused if those in use keep it`() throws {
        let third = try #require(SpaceName("third"))
        let stand = try ShelfStand(try full(in: [.main, .other, third]))
        stand.stores[0].memoryLimit = 3_000_000
        var watch: Watch? = stand.watch("shelf.titles") { _ in }
        stand.executor.runPosted()
        var refused: Refusal?
        stand.stores[0].read(["shelf.titles"], in: .other) { result in
            if case .failure(let refusal) = result { refused = refusal }
        }
        stand.executor.runPosted()
        #expect(refused == nil)
        let scheduler = try #require(stand.executor.scheduler as? VirtualScheduler)
        scheduler.advance(by: .seconds(11))
        guard case .journal(let failure)? = refused else {
            Issue.record("the space was not refused: \(String(describing: refused))")
            return
        }
        #expect(failure.kind == .noRoom)
        // Those that have waited for their turn meanwhile do not wait as long again.
        var (first, second): (Refusal?, Refusal?)
        stand.stores[0].read(["shelf.titles"], in: .other) { if case .failure(let refusal) = $0 { first = refusal } }
        stand.stores[0].read(["shelf.titles"], in: third) { if case .failure(let refusal) = $0 { second = refusal } }
        stand.executor.runPosted()
        scheduler.advance(by: .seconds(10))
        stand.executor.runPosted()
        #expect(first != nil && second == nil)
        scheduler.advance(by: .seconds(1))
        #expect(second != nil)
        // The next load has its turn, and the room once there is some.
        let count = Count()
        stand.stores[0].read(["shelf.titles"], in: .other) { count.snapshot = try? $0.get() }
        stand.executor.runPosted()
        #expect(count.snapshot == nil)
        withExtendedLifetime(watch) {}
        watch = nil
        scheduler.advance(by: .seconds(1))
        stand.executor.runPosted()
        #expect(count.snapshot != nil)
    }

    private final class Count {
        var snapshot: ViewSnapshot?
    }
}
