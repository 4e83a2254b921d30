import Reactive

/// A row of a large table, listed by a view.
private struct Product: Equatable {
    var price: Int
    var owner: Int
    var name: String
}

/// The rows delivered last, so that the compiler cannot leave anything out.
nonisolated(unsafe) private var seen = 0

/// A table of products and one of stocks, and a commit that changes one product.
private struct Shop {
    let graph = Graph()
    let products: Table<Int, Product>
    let stocks: Table<Int, Int>
    let count: Int

    init(_ count: Int) {
        self.count = count
        products = Table(
            Dictionary(
                uniqueKeysWithValues: (0..<count).map {
                    ($0, Product(price: $0 * 7_919 % 1_000_003, owner: $0 % 100, name: "product \($0)"))
                }))
        stocks = Table(Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0 % 10) }))
    }

    /// The commits while a list is watched. Each gives one row of `working`, which are scattered among all, another price.
    func commits<Value>(working: Int, to watched: Observable<Value>, take: @escaping (Value) -> Void) -> (Int) -> Void {
        let subscription = watched.watch(in: graph, receive: take)
        let keys = (0..<min(working, count)).map { $0 * 77_773 % count }
        return { number in
            withExtendedLifetime(subscription) {
                let key = keys[number % keys.count]
                graph.commit {
                    $0[products, key] = Product(
                        price: number &* 7_919 % 1_000_003, owner: number % 100, name: "product")
                }
            }
        }
    }
}

private func take<Row>(_ list: RowList<Int, Row>) { seen &+= list.count }

/// One row of a sorted list.
private func sorted(_ count: Int, working: Int = 1_000) -> (Int) -> Void {
    let shop = Shop(count)
    return shop.commits(working: working, to: shop.products.sorted(by: \.price), take: take)
}

/// One row of those of which a window shows the first 20.
private func windowed(_ count: Int) -> (Int) -> Void {
    let shop = Shop(count)
    return shop.commits(
        working: 1_000,
        to: shop.products.filter { _, product in product.price < 900_000 }.sorted(by: \.price).limit(20), take: take)
}

/// One row of those that are counted by group.
private func grouped(_ count: Int) -> (Int) -> Void {
    let shop = Shop(count)
    return shop.commits(working: 1_000, to: shop.products.group(by: \.owner).rowCount()) { seen &+= $0.entries.count }
}

/// One row of a join that is sorted.
private func joined(_ count: Int) -> (Int) -> Void {
    let shop = Shop(count)
    let lines = shop.products.joined(with: shop.stocks) { _, product, stock in product.price &+ (stock ?? 0) }
    return shop.commits(working: 1_000, to: lines.sorted(by: { $0 }), take: take)
}

private let lists: [(name: String, make: @Sendable (Int) -> (Int) -> Void)] = [
    ("sorted", { sorted($0) }), ("filtered, sorted, the first 20", { windowed($0) }),
    ("counted by group", { grouped($0) }),
    ("joined and sorted", { joined($0) }),
]

/// One row of many beside one of ten: lists, windows, groups and joins cost what changes, times the logarithm of the number of rows.
let listComparisons = MeasurementGroup(
    name: "lists",
    comparisons: lists.flatMap { list in
        [1_000, 100_000].map { count in
            Comparison(
                name: "\(list.name): one of \(count), beside one of 10", allowed: 3, operations: 20_000,
                ours: { list.make(count) },
                limit: { list.make(10) })
        }
    } + [
        Comparison(
            name: "sorted: one of 100000, all of them, beside one of 10", allowed: nil, operations: 20_000,
            ours: { sorted(100_000, working: 100_000) }, limit: { sorted(10) })
    ])
