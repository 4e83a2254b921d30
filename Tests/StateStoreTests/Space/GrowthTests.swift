import JSON
import StateStore
import Testing

/// Law CALM8: a space has at most its part of the memory, and can always shrink.
struct GrowthTests {
    private func books(_ ids: some Sequence<Int>, letter: String = "t") -> Books {
        Books(books: ids.map { Book(id: $0, title: String(repeating: letter, count: 200)) })
    }

    /// Adds books until one is refused. Returns the number of all books.
    private func fill(_ stand: ShelfStand, from start: Int) -> Int {
        for id in start..<start + 5_000 {
            do {
                try stand.change(books([id]))
            } catch {
                #expect("\(error)".contains("spaceTooLarge"))
                return id
            }
        }
        Issue.record("no book was refused")
        return start
    }

    @Test func `a space at its limit is refused growth, and may shrink`() throws {
        let stand = try ShelfStand()
        let store = stand.stores[0]
        store.spaceLimit = 1_000_000
        let count = fill(stand, from: 0)
        #expect((400...1_200).contains(count) && store.fullSpaceCount == 1, "\(count)")
        // What is there can be read, and changed without growth.
        #expect(try stand.value("shelf.first").size > 1_000)
        try stand.change(books(0..<10, letter: "u"))
        #expect(throws: ShelfStand.Unanswered.self) { try stand.change(books([0], letter: "long")) }
        try stand.change(Books(removed: Array(0..<count / 2)))
        let again = fill(stand, from: count)
        #expect(again - count > count / 10 && again - count < count, "\(again)")
        try stand.change(Books(isCleared: true))
        try stand.change(books([0]))
        #expect(store.fullSpaceCount == 0)
    }

    @Test func `a space that many rows at once have filled is no larger than one that a load takes`() throws {
        let stand = try ShelfStand()
        let limit = 2_000_000
        stand.stores[0].spaceLimit = limit
        var count = 0
        while count < 100_000 {
            do {
                try stand.change(Books(books: (count..<count + 50).map { Book(id: $0) }))
            } catch {
                break
            }
            count += 50
        }
        // A row has at least 400 bytes, and a load takes a fourth more than the limit.
        #expect(count * 400 <= limit && count * 1_000 >= limit, "\(count)")
    }

    @Test func `other spaces grow beside a full one`() throws {
        let stand = try Stand()
        stand.store.spaceLimit = 200_000
        var answer = ""
        for number in 0..<2_000 where !answer.contains("spaceTooLarge") {
            answer = try stand.post("ledger/add", "name \(number)", 1)
        }
        #expect(answer.contains("spaceTooLarge"))
        #expect(try stand.post("ledger/add", "a", 1, in: .other) == "1 ledger.sum,ledger.amounts")
        #expect(try stand.post("ledger/remove", "name 1").hasSuffix("ledger.sum,ledger.amounts"))
        // The limit is of a space in memory: its journal has what was answered.
        #expect(try stand.read("ledger.sum").hasPrefix("sum="))
    }
}
