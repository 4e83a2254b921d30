import JSON
import StateStore
import Testing

/// Law CALM9: a list of a large space that was read a moment ago is maintained, and not computed anew.
struct HeldListTests {
    private func books(_ ids: some Sequence<Int>) -> Books {
        Books(books: ids.map { Book(id: $0, title: "\($0) \(String(repeating: "t", count: 200))", price: $0) })
    }

    private func large() throws -> ShelfStand {
        let stand = try ShelfStand()
        try stand.change(books(0..<500))
        stand.tally.reset()
        return stand
    }

    @Test func `after a commit a read encodes what changed`() throws {
        let stand = try large()
        _ = try stand.value("shelf.titles")
        #expect(stand.tally.taken("title") == 500)
        for id in 500..<520 {
            try stand.change(books([id]))
            let value = try stand.value("shelf.titles")
            #expect(value.bytes == (try expected(0...id)))
            #expect(stand.tally.taken("title") == 1)
        }
    }

    private func expected(_ ids: ClosedRange<Int>) throws -> [UInt8] {
        try ids.map { "\($0) \(String(repeating: "t", count: 200))" }.json()
    }

    @Test func `a watch that has ended leaves its list to the next reader`() throws {
        let stand = try large()
        var watch: Watch? = stand.watch("shelf.titles") { _ in }
        #expect(stand.tally.taken("title") == 500)
        withExtendedLifetime(watch) {}
        watch = nil
        try stand.change(books([500]))
        #expect(try stand.value("shelf.titles").bytes == expected(0...500))
        #expect(stand.tally.taken("title") == 1)
    }

    @Test func `a list that nobody reads is released after a while`() throws {
        let stand = try large()
        _ = try stand.value("shelf.titles")
        stand.tally.reset()
        for id in 500..<700 { try stand.change(books([id])) }
        #expect((1...100).contains(stand.tally.taken("title")))
        #expect(try stand.value("shelf.titles").bytes == expected(0...699))
        #expect(stand.tally.taken("title") == 700)
    }

    @Test func `a list of a small space costs nothing until it is read`() throws {
        let stand = try ShelfStand()
        try stand.change(books(0..<5))
        _ = try stand.value("shelf.titles")
        stand.tally.reset()
        for id in 5..<20 { try stand.change(books([id])) }
        #expect(stand.tally.taken("title") == 0)
    }

    @Test func `the number of lists that are maintained for nobody is bounded`() throws {
        let stand = try large()
        for view in ["titles", "all", "first", "titles"] { _ = try stand.value("shelf.\(view)") }
        stand.tally.reset()
        try stand.change(books([500]))
        #expect(stand.tally.taken("title") == 1)
        // A store that unloads the space releases them.
        stand.stores[0].idleLimit = 0
        try stand.change(books([501]))
        stand.executor.runPosted()
        #expect(stand.stores[0].loadedCount == 0)
        #expect(try stand.value("shelf.titles").bytes == expected(0...501))
    }
}
