import Reactive

let graph = Graph()
let price = Variable(2)
let quantity = Variable(3)

let total = combineLatest(price, quantity).map { $0 * $1 }
let subscription = total.watch(in: graph) { print("total: \($0)") }
// prints: total: 6
