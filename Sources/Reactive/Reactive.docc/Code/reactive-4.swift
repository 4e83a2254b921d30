import Reactive

struct Product: Equatable {
    var name: String
    var price: Int
}

let graph = Graph()
let products = Table(["a": Product(name: "lamp", price: 30), "b": Product(name: "pen", price: 2)])
let dear = products.filter { $1.price > 10 }.sorted(by: \.price)
let subscription = dear.watch(in: graph) { print($0.map(\.row.name)) }
graph.commit { $0[products, "c"] = Product(name: "chair", price: 20) }
subscription.cancel()
// prints: ["lamp"]
// prints: ["chair", "lamp"]
