import Reactive

let graph = Graph()
let clock = VirtualScheduler()
let typed = Subject<String>()
let words = Table([1: "apple", 2: "banana", 3: "ananas"])
let found = typed.debounce(.milliseconds(300), on: clock).flatMapLatest { letters in
    words.filter { $1.contains(letters) }.sorted()
}
let subscription = found.watch(in: graph) { print($0.rows) }
for letters in ["a", "an", "ana"] {
    typed.send(letters)
    clock.advance(by: .milliseconds(100))
}
clock.advance(by: .seconds(1))
subscription.cancel()
// prints: ["banana", "ananas"]
