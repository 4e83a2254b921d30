import JSON
import Reactive
import ServerReads
import StateStore

/// A feature to test lists with: books in an order, in parts, and in one piece.
struct ShelfState {
    let books = Table<Int, Book>()
}

struct Book: Record {
    var id = 0
    var title = ""
    var price = 0
    var isLent = false

    static let shape = Shape(Book()) {
        $0.required("id", \.id)
        $0.optional("title", \.title)
        $0.optional("price", \.price)
        $0.optional("isLent", \.isLent)
    }
}

struct Books: Record {
    var books: [Book] = []
    var removed: [Int] = []
    var isCleared = false

    static let shape = Shape(Books()) {
        $0.optional("books", \.books)
        $0.optional("removed", \.removed)
        $0.optional("isCleared", \.isCleared)
    }
}

struct ShelfService: StateService {
    let change: Action<Books>

    init(_ shelf: ShelfState) {
        change = Action { input, commit in
            if input.isCleared { commit.removeAll(of: shelf.books) }
            for book in input.books { commit[shelf.books, book.id] = book }
            for id in input.removed { commit[shelf.books, id] = nil }
        }
    }
}

struct ShelfViewModel: ViewModel {
    let all: OrderedRows<Int, Book>
    let first: OrderedRows<Int, Book>
    let titles: OrderedRows<Int, Title>
    /// The books of `all`, encoded as one value.
    let plain: Observable<[Book]>

    init(_ shelf: ShelfState, _ tally: Tally) {
        all = shelf.books.sorted(by: \.price)
        first = shelf.books.sorted(by: .descending(\.price)).limit(5)
        titles = shelf.books.filter { _, book in !book.isLent }.sorted().map { _, book in
            Title(text: book.title, tally: tally)
        }
        plain = shelf.books.sorted(by: \.price).map { $0.rows }
    }
}

/// A string that counts its encodings.
struct Title: Equatable, JSONWritable, SchemaProviding {
    let text: String
    let tally: Tally

    static var schema: JSON { String.schema }

    static func == (one: Title, other: Title) -> Bool { one.text == other.text }

    func write(to writer: inout JSONWriter) { tally.count("title", text).write(to: &writer) }
}

/// A shelf in a store whose journal never blocks.
final class ShelfStand {
    let tally = Tally()
    let stores: Stores
    let executor = TestExecutor()

    init(_ journal: MemoryJournal = MemoryJournal(), scope: Scope = .space) throws {
        let registry = try Registry([
            Feature("shelf", in: scope, ShelfState.init, ShelfService.init) { [tally] in ShelfViewModel($0, tally) }
        ])
        stores = try Stores(
            registry, executors: [executor], writer: InlineJournalWriter(journal), seed: 1,
            clock: { Timestamp(microseconds: 0) })
    }

    func change(_ books: Books, in space: SpaceName = .main) throws {
        var result: Result<Answer, Refusal>?
        let call = Call(feature: "shelf", action: "change", input: try books.json())
        stores[0].perform(call, in: space) { result = $0 }
        executor.runPosted()
        guard case .success? = result else { throw Unanswered(result: "\(String(describing: result))") }
    }

    /// Returns the current value of a view.
    func value(_ view: String) throws -> ViewValue {
        var result: Result<ViewSnapshot, Refusal>?
        stores[0].read([view], in: .main) { result = $0 }
        executor.runPosted()
        guard case .success(let snapshot)? = result, case .success(let value) = snapshot.views[0].frame.value else {
            throw Unanswered(result: "\(String(describing: result))")
        }
        return value
    }

    /// Calls `body` with each value of a view.
    func watch(_ view: String, _ body: @escaping (ViewValue) -> Void) -> Watch {
        let watch = stores[0].watch([view], in: .main) { news in
            for (_, frame) in (try? news.get()) ?? [] {
                if case .success(let value) = frame.value { body(value) }
            }
        }
        executor.runPosted()
        return watch
    }

    struct Unanswered: Error { let result: String }
}
