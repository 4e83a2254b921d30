import JSON
import Reactive
import ServerReads
import StateStore

/// A row of a table with many.
private struct Article: Record {
    var id = 0
    var title = ""
    var price = 0

    static let shape = Shape(Article()) {
        $0.required("id", \.id)
        $0.required("title", \.title)
        $0.required("price", \.price)
    }
}

private struct ArticlesState {
    let articles: Table<Int, Article>

    init(_ count: Int) {
        articles = Table(
            Dictionary(
                uniqueKeysWithValues: (0..<count).map {
                    ($0, Article(id: $0, title: "article number \($0)", price: $0 * 7_919 % 1_000_003))
                }))
    }
}

private struct ArticlesService: StateService {
    let put: Action<Article>

    init(_ state: ArticlesState) {
        put = Action { input, commit in commit[state.articles, input.id] = input }
    }
}

private struct ArticlesViewModel: ViewModel {
    let all: OrderedRows<Int, Article>
    let first: OrderedRows<Int, Article>

    init(_ state: ArticlesState) {
        all = state.articles.sorted(by: \.price)
        first = all.limit(20)
    }
}

/// What the readers have received, so that the compiler cannot leave anything out.
nonisolated(unsafe) private var received = 0

/// Commits that give one row of `count` another price, while a view has readers. `take` receives each value with the one
/// before, once for each reader.
private func changes(
    of count: Int, watching view: String, readers: Int, take: @escaping (ViewValue, ViewValue) -> Void
) -> (Int) -> Void {
    guard
        let registry = try? Registry([
            Feature("shop", { ArticlesState(count) }, ArticlesService.init, ArticlesViewModel.init)
        ]), let put = registry.action(feature: "shop", name: "put"), let space = SpaceName("main"),
        let stores = try? Stores(
            registry, executors: [InlineExecutor()], writer: InlineJournalWriter(MemoryJournal(history: 1_000)),
            seed: 1, clock: { Timestamp(microseconds: 0) })
    else { preconditionFailure("the feature is registered wrongly") }
    var last: ViewValue?
    let watch = stores[0].watch([view], in: space) { news in
        guard case .success(let frames) = news, case .success(let value)? = frames.first?.frame.value else { return }
        if let last { for _ in 0..<readers { take(value, last) } }
        last = value
    }
    // The rows that change are scattered among all.
    let keys = (0..<min(1_000, count)).map { $0 * 77_773 % count }
    return { number in
        withExtendedLifetime(watch) {
            let id = keys[number % keys.count]
            let input = Array(
                #"{"id":\#(id),"title":"article number \#(id)","price":\#(number &* 7_919 % 1_000_003)}"#.utf8)
            stores[0].perform(Call(put, input: input), in: space) { _ in }
        }
    }
}

/// A reader that takes patches.
private func patch(_ value: ViewValue, _ last: ViewValue) { received &+= value.patch(from: last)?.count ?? value.size }

private let cases: [(name: String, view: String, take: @Sendable (ViewValue, ViewValue) -> Void)] = [
    ("a commit", "shop.all", { value, _ in received &+= value.size }),
    ("a patch frame", "shop.all", { patch($0, $1) }),
    ("a window of 20, as patches", "shop.first", { patch($0, $1) }),
]

/// One row of many beside one of ten, through the store: a commit costs what it changes, and a reader of patches the
/// patch, which is made once.
let rowComparisons = MeasurementGroup(
    name: "rows",
    comparisons: cases.flatMap { one in
        [1, 50, 1_000].flatMap { readers in
            [1_000, 100_000].map { count in
                Comparison(
                    name: "\(one.name), \(readers) readers: one row of \(count), beside one of 10", allowed: 3,
                    operations: readers > 50 ? 1_000 : 5_000,
                    ours: { changes(of: count, watching: one.view, readers: readers, take: one.take) },
                    limit: { changes(of: 10, watching: one.view, readers: readers, take: one.take) })
            }
        }
    } + [
        Comparison(
            name: "a patch frame of 100000 rows: 1000 readers, beside 1", allowed: nil, operations: 1_000,
            ours: { changes(of: 100_000, watching: "shop.all", readers: 1_000, take: patch) },
            limit: { changes(of: 100_000, watching: "shop.all", readers: 1, take: patch) }),
        Comparison(
            name: "one row of 100000: watched as a list, beside unwatched", allowed: nil, operations: 5_000,
            ours: { changes(of: 100_000, watching: "shop.all", readers: 1) { received &+= $0.size &+ $1.size } },
            limit: { changes(of: 100_000, watching: "shop.none", readers: 1) { _, _ in } }),
    ])
