import Reactive

let graph = Graph()
let price = Variable(2)
let quantity = Variable(3)

let total = combineLatest(price, quantity).map { $0 * $1 }
let subscription = total.watch(in: graph) { print("total: \($0)") }
graph.commit {
    $0[price] = 10
    $0[quantity] = 1
}
subscription.cancel()
// prints: total: 6
// prints: total: 10
