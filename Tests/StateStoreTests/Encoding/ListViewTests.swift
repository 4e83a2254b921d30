import JSON
import Platform
import StateStore
import Testing

/// Views that are lists, compared with a model that encodes the whole.
struct ListViewTests {
    /// A reader of a list view: all values that it received, and the text that each should be.
    private final class Reader {
        var values: [(value: ViewValue, text: String)] = []
        var watch: Watch?
        /// The number of patches, and of steps without one.
        var (patches, wholes) = (0, 0)

        func take(_ value: ViewValue, expected: String) throws {
            #expect(String(decoding: value.bytes, as: UTF8.self) == expected)
            #expect(value.isList && value.size == expected.utf8.count)
            #expect(Array(value.pieces.joined()) == value.bytes)
            if let last = values.last {
                #expect(last.value != value && last.text != expected, "a value that stays the same is not delivered")
            }
            values.append((value, expected))
            let tree = try JSON(parsing: value.bytes)
            for (old, text) in values.suffix(6) {
                // A version never changes.
                #expect(String(decoding: old.bytes, as: UTF8.self) == text)
                guard let patch = value.patch(from: old) else {
                    wholes += 1
                    continue
                }
                patches += 1
                let operations = try JSONPatch(parsing: patch.bytes)
                #expect(try operations.applied(to: JSON(parsing: old.bytes)) == tree)
            }
        }
    }

    private static func text(_ books: [Book]) throws -> String { String(decoding: try books.json(), as: UTF8.self) }

    private static func books(_ model: [Int: Book], _ view: String) throws -> String {
        let rising = model.values.sorted { ($0.price, $0.id) < ($1.price, $1.id) }
        return switch view {
        case "shelf.all", "shelf.plain": try text(rising)
        case "shelf.first": try text(Array(model.values.sorted { ($1.price, $0.id) < ($0.price, $1.id) }.prefix(5)))
        default:
            String(
                decoding: try model.values.filter { !$0.isLent }.sorted { $0.id < $1.id }.map(\.title).json(),
                as: UTF8.self)
        }
    }

    private static func change(_ dice: inout Randomness, ids: Int) -> Books {
        var change = Books()
        let kind = Int.random(in: 0..<30, using: &dice)
        if kind == 0 { change.isCleared = true }
        let count = kind < 3 ? ids / 2 : Int.random(in: 0...3, using: &dice)
        change.books = (0..<count).map { _ in
            Book(
                id: Int.random(in: 0..<ids, using: &dice), title: "t\(Int.random(in: 0..<9, using: &dice))\"",
                price: Int.random(in: 0..<40, using: &dice), isLent: Int.random(in: 0..<4, using: &dice) == 0)
        }
        if kind > 20 { change.removed = (0..<2).map { _ in Int.random(in: 0..<ids, using: &dice) } }
        return change
    }

    private static func apply(_ change: Books, to model: inout [Int: Book]) {
        if change.isCleared { model = [:] }
        for book in change.books { model[book.id] = book }
        for id in change.removed { model[id] = nil }
    }

    // Laws ROWS1, ROWS2 and ROWS3
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `a list is its rows' JSON in every version, and patches lead from each to the next`(_ seed: UInt64) throws {
        var dice = Randomness(seed: seed)
        let ids = [4, 60, 700][Int(seed % 3)]
        let journal = MemoryJournal()
        let stand = try ShelfStand(journal)
        let views = ["shelf.all", "shelf.first", "shelf.titles"]
        var model: [Int: Book] = [:]
        let readers = views.map { _ in Reader() }
        func watch(_ index: Int) {
            readers[index].values = []
            readers[index].watch = stand.watch(views[index]) { [reader = readers[index]] value in
                do { try reader.take(value, expected: Self.books(model, views[index])) } catch { Issue.record(error) }
            }
        }
        for index in views.indices { watch(index) }
        for step in 0..<60 {
            let change = Self.change(&dice, ids: ids)
            Self.apply(change, to: &model)
            try stand.change(change)
            for (view, reader) in zip(views, readers) {
                let last = try #require(reader.values.last)
                #expect(try last.text == Self.books(model, view))
            }
            // A reader that leaves and returns restarts the list.
            if step % 25 == 24 { watch(Int.random(in: 0..<3, using: &dice)) }
        }
        #expect(try stand.value("shelf.all").bytes == stand.value("shelf.plain").bytes)
        let restarted = try ShelfStand(journal)
        for (view, reader) in zip(views, readers) {
            let (one, other) = (try #require(reader.values.last).value, try restarted.value(view))
            // The trees of the two have grown differently.
            #expect(one.digest(journal.digestKey) == other.digest(journal.digestKey))
            #expect(one == other && one.patch(from: other) == nil)
            for (value, text) in reader.values where text != reader.values.last?.text {
                #expect(value.digest(journal.digestKey) != one.digest(journal.digestKey) && value != one)
            }
        }
        #expect(readers.contains { $0.patches > 50 } && readers.contains { $0.wholes > 0 })
    }

    /// Versions of `shelf.all` that no one has read, with the text that each should be.
    private struct Unread {
        var versions: [(value: ViewValue, text: String)] = []

        /// Reads one version, in one of the ways in which its rows are read.
        mutating func readOne(_ dice: inout Randomness) {
            guard !versions.isEmpty else { return }
            let (value, text) = versions.remove(at: Int.random(in: 0..<versions.count, using: &dice))
            switch Int.random(in: 0..<3, using: &dice) {
            case 0: #expect(String(decoding: value.bytes, as: UTF8.self) == text)
            case 1: #expect(String(decoding: Array(value.pieces.joined()), as: UTF8.self) == text)
            default:
                var rows: [String] = []
                value.forEachRow { rows.append(String(decoding: $0, as: UTF8.self)) }
                #expect("[\(rows.joined(separator: ","))]" == text)
                #expect(value.firstRow.map { String(decoding: $0, as: UTF8.self) } == rows.first)
            }
        }
    }

    // Laws ROWS1 and ROWS2. The tree of a version goes to the next one, which changes it.
    @Test(arguments: 0..<9 as Range<UInt64>)
    func `a version that is first read after many others is as it was`(_ seed: UInt64) throws {
        var dice = Randomness(seed: seed)
        let ids = [4, 60, 700][Int(seed % 3)]
        let stand = try ShelfStand()
        var model: [Int: Book] = [:]
        var unread = Unread()
        let watch = stand.watch("shelf.all") { value in
            do { unread.versions.append((value, try Self.books(model, "shelf.all"))) } catch { Issue.record(error) }
        }
        for _ in 0..<300 {
            let change = Self.change(&dice, ids: ids)
            Self.apply(change, to: &model)
            try stand.change(change)
            if Int.random(in: 0..<4, using: &dice) == 0 { unread.readOne(&dice) }
        }
        #expect(unread.versions.count > 100)
        while !unread.versions.isEmpty { unread.readOne(&dice) }
        withExtendedLifetime(watch) {}
    }

    // Laws ROWS1 and ROWS2
    @Test func `versions are read on other threads while the next ones are made`() async throws {
        let unread = Lock(Unread())
        let isOver = Lock(false)
        await withTaskGroup(of: Int.self) { readers in
            for seed in 0..<2 as Range<UInt64> {
                readers.addTask {
                    var (dice, read) = (Randomness(seed: seed), 0)
                    while true {
                        let wasOver = isOver.with { $0 }
                        let versions = unread.with { unread in
                            defer { unread.versions = [] }
                            return unread.versions
                        }
                        read += versions.count
                        var own = Unread(versions: versions)
                        while !own.versions.isEmpty { own.readOne(&dice) }
                        if wasOver, versions.isEmpty { return read }
                        await Task.yield()
                    }
                }
            }
            var made = 0
            do {
                let stand = try ShelfStand()
                var model = Dictionary(uniqueKeysWithValues: (0..<300).map { ($0, Book(id: $0, price: $0)) })
                try stand.change(Books(books: Array(model.values)))
                let watch = stand.watch("shelf.all") { value in
                    do {
                        let text = try Self.books(model, "shelf.all")
                        made += 1
                        unread.with { $0.versions.append((value, text)) }
                    } catch { Issue.record(error) }
                }
                for number in 0..<400 {
                    let book = Book(id: number * 37 % 300, title: "\(number)", price: number * 91 % 300)
                    model[book.id] = book
                    try stand.change(Books(books: [book]))
                }
                withExtendedLifetime(watch) {}
            } catch { Issue.record(error) }
            isOver.with { $0 = true }
            var read = 0
            for await count in readers { read += count }
            #expect(read == made && made == 401)
        }
    }

    // Law ROWS1
    @Test func `a commit encodes the rows that changed, once for all readers`() throws {
        let stand = try ShelfStand()
        try stand.change(Books(books: (0..<500).map { Book(id: $0, title: "title \($0)") }))
        var told = 0
        let watches = (0..<50).map { _ in stand.watch("shelf.titles") { _ in told += 1 } }
        #expect(stand.tally.taken("title") == 500)
        try stand.change(Books(books: [Book(id: 7, title: "new")]))
        #expect(stand.tally.taken("title") == 1 && told == 100)
        try stand.change(Books(removed: [8, 9]))
        #expect(stand.tally.taken("title") == 0 && told == 150)
        // The title stays, so the value does too.
        try stand.change(Books(books: [Book(id: 7, title: "new", price: 3)]))
        #expect(stand.tally.taken("title") == 0 && told == 150)
        withExtendedLifetime(watches) {}
    }

    // Law ROWS1
    @Test func `a change creates few new pieces, and the others are shared`() throws {
        let stand = try ShelfStand()
        try stand.change(Books(books: (0..<2_000).map { Book(id: $0, price: $0) }))
        var values: [ViewValue] = []
        let watch = stand.watch("shelf.all") { values.append($0) }
        try stand.change(Books(books: [Book(id: 1_000, title: "changed", price: 1_000)]))
        try #require(values.count == 2)
        let addresses = values.map { $0.pieces.map { piece in piece.withUnsafeBytes { $0.baseAddress } } }
        #expect(values[0].pieces.count > 2_000 / 32)
        #expect(Set(addresses[0]).subtracting(addresses[1]).count <= 3)
        withExtendedLifetime(watch) {}
    }

    // Law ROWS3
    @Test func `one changed row is one operation, and a reader far behind gets no patch`() throws {
        let stand = try ShelfStand()
        try stand.change(Books(books: (0..<100).map { Book(id: $0, title: "a", price: $0) }))
        var values: [ViewValue] = []
        let watch = stand.watch("shelf.all") { values.append($0) }
        try stand.change(Books(books: [Book(id: 5, title: "b", price: 5)]))
        let patch = values[1].patch(from: values[0])
        #expect(
            patch.map { String(decoding: $0.bytes, as: UTF8.self) }
                == #"[{"op":"replace","path":"/5/title","value":"b"}]"#)
        #expect(values[1].patch(from: values[1])?.isEmpty == true)
        #expect(values[0].patch(from: values[1]) == nil)
        for number in 0..<2_000 {
            try stand.change(Books(books: [Book(id: number % 100, title: "\(number)", price: 1)]))
        }
        let last = try #require(values.last)
        #expect(last.patch(from: values[1]) == nil)
        #expect(last.patch(from: values[values.count - 2]) != nil && last.patch(from: values[values.count - 10]) != nil)
        withExtendedLifetime(watch) {}
    }

    // Law ROWS1
    @Test func `the schema of a list is an array of its row's schema`() throws {
        let registry = try Registry([
            Feature("shelf", ShelfState.init, ShelfService.init) { ShelfViewModel($0, Tally()) }
        ])
        let schemas = Dictionary(uniqueKeysWithValues: registry.views.map { ($0.name, $0.value) })
        #expect(schemas["shelf.all"] == schemas["shelf.plain"])
        #expect(schemas["shelf.titles"] == ["type": "array", "items": ["type": "string"]])
    }
}
