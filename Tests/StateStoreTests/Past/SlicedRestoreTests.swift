import Ground
import JSON
import Reactive
import ServerReads
import Testing

@testable import StateStore

/// Law CALM17: a return to a past state is compared with the present in slices, between which the space is served.
struct SlicedRestoreTests {
    private typealias Rows = [Int: Book]

    /// A large shelf, and the rows of each of its versions.
    private final class Library {
        let journal = MemoryJournal()
        let stand: ShelfStand
        var versions: [Rows] = [[:]]
        var random: Randomness
        /// The results of restores.
        var results: [Result<Answer, Refusal>] = []

        init(seed: UInt64) throws {
            (stand, random) = (try ShelfStand(journal), Randomness(seed: seed))
            for part in 0..<6 { try change((part * 1_000..<(part + 1) * 1_000).map { ($0, $0 % 7) }) }
        }

        var store: Store { stand.stores[0] }

        func change(_ books: [(id: Int, price: Int)], removing removed: [Int] = [], isCleared: Bool = false) throws {
            let books = books.map { Book(id: $0.id, title: "\($0.id)", price: $0.price) }
            let input = Books(books: books, removed: removed, isCleared: isCleared)
            var rows = isCleared ? [:] : versions[versions.count - 1]
            for book in books { rows[book.id] = book }
            for id in removed { rows[id] = nil }
            var isAnswered = false
            store.perform(Call(feature: "shelf", action: "change", input: try input.json()), in: .main) { result in
                isAnswered = (try? result.get()) != nil
            }
            while !isAnswered { stand.executor.runOne() }
            if rows != versions[versions.count - 1] { versions.append(rows) }
        }

        func changeSome() throws {
            let ids = (0..<Int.random(in: 1...30, using: &random)).map { _ in Int.random(in: 0..<7_000, using: &random)
            }
            try change(
                ids.map { ($0, Int.random(in: 0..<7, using: &random)) },
                removing: (0..<9).map { _ in Int.random(in: 0..<7_000, using: &random) },
                isCleared: Int.random(in: 0..<20, using: &random) == 0)
        }

        /// Begins to return the space to a version.
        func restore(to version: Int) {
            let context = PastContext(DocumentLibrary(store.registry, nil), journal)
            let restoration = Restoration(of: .main, to: .version(version), context)
            let call = restoration.call(
                input: nil, ["version": JSON(integerLiteral: Int64(version))], key: nil, views: nil, condition: nil,
                caller: .nobody)
            store.perform(call, in: .main) { [self] in results.append($0) }
        }

        /// Checks that the shelf is as at a version, and that the last commit changed only what differed.
        func check(isAs version: Int, after last: Rows) throws {
            let rows = versions[version]
            let expected = rows.values.sorted { ($0.price, $0.id) < ($1.price, $1.id) }
            #expect(try stand.value("shelf.plain").bytes == expected.json())
            let different = Set(last.keys).union(rows.keys).filter { last[$0] != rows[$0] }
            guard case .commits(let records) = try journal.read(.main, after: 0, limit: .max),
                let record = records.last, record.action == "space/restore"
            else {
                #expect(different.isEmpty)
                return
            }
            if !different.isEmpty {
                #expect(Set(record.facts.compactMap { $0.entry.flatMap { Int($0) } }) == different)
                #expect(record.facts.count == different.count)
            }
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a large space returns to a version while it is read and changed`(_ seed: UInt64) throws {
        let library = try Library(seed: seed)
        for _ in 0..<3 {
            for _ in 0..<4 { try library.changeSome() }
            let version = Int.random(in: 1..<library.versions.count, using: &library.random)
            let done = library.results.count
            library.restore(to: version)
            var reads = 0
            while library.results.count == done {
                if Int.random(in: 0..<4, using: &library.random) == 0 { try library.changeSome() }
                library.store.read(["shelf.first"], in: .main) { if (try? $0.get()) != nil { reads += 1 } }
                library.stand.executor.runOne()
            }
            // A shelf that was emptied has no slices.
            #expect(reads > 5 || library.versions.contains { $0.count < 4_096 })
            let last = library.versions[library.versions.count - 1]
            #expect(try library.results[done].get().version > 0)
            try library.check(isAs: version, after: last)
            if last != library.versions[version] { library.versions.append(library.versions[version]) }
        }
    }

    @Test func `nothing follows the table after the answer, also if the call was refused`() throws {
        let library = try Library(seed: 1)
        try library.change([(1, 5)])
        let context = PastContext(DocumentLibrary(library.store.registry, nil), library.journal)
        let restoration = Restoration(of: .main, to: .version(6), context)
        var refused: Refusal?
        let call = restoration.call(
            input: nil, ["version": 6], key: nil, views: nil, condition: { _, _ in false }, caller: .nobody)
        library.store.perform(call, in: .main) { if case .failure(let refusal) = $0 { refused = refusal } }
        library.stand.executor.runOne()
        #expect(restoration.differences.value.value.count == 1 && refused == nil)
        let difference = try #require(restoration.differences.value.value.first)
        library.stand.executor.runPosted()
        #expect(refused != nil && restoration.differences.value.value.isEmpty)
        #expect((difference as? TableDifference<Int, Book>)?.followed == nil)
    }
}
