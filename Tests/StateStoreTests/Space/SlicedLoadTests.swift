import JSON
import ServerReads
import StateStore
import Testing

/// Law CALM14: the facts of a large space are read in slices, between which other spaces are served.
struct SlicedLoadTests {
    private func books(_ ids: some Sequence<Int>) -> Books {
        Books(books: ids.map { Book(id: $0, title: "\($0)", price: $0) })
    }

    /// A journal with 6,000 books.
    private func full() throws -> MemoryJournal {
        let journal = MemoryJournal()
        let stand = try ShelfStand(journal)
        for part in 0..<6 { try stand.change(books(part * 1_000..<(part + 1) * 1_000)) }
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

    private final class Count {
        var snapshot: ViewSnapshot?
    }
}
