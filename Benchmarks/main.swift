import Reactive
import CountedAllocations

@inline(never) func time(_ name: String, _ n: Int = 1_000_000, _ body: (Int) -> Void) {
    let clock = ContinuousClock()
    for i in 0..<1000 { body(i) }
    var best = Double.infinity
    let a = allocations_so_far()
    for r in 0..<5 {
        let d = clock.measure { for i in 0..<n { body(i &+ r) } }
        best = min(best, Double(d.components.attoseconds) / 1e9 / Double(n) + Double(d.components.seconds) * 1e9 / Double(n))
    }
    let al = Double(allocations_so_far() - a) / Double(5 * n)
    print(name, best, al)
}
final class Hand { var value = 0; var listeners: [(Int) -> Void] = []
    func set(_ v: Int) { value = v; for l in listeners { l(v) } } 
    func map(_ f: @escaping (Int) -> Int) -> Hand { let h = Hand(); listeners.append { h.set(f($0)) }; return h}
}
nonisolated(unsafe) var sum = 0
func go() {
    var subs: [Subscription] = []
    do { let h = Hand(); let m = h.map { $0 &* 2 }; m.listeners.append { sum &+= $0 }
        time("hand map") { h.set($0) } }
    do { let g = Graph(); let v = Variable(-1); let m = v.map { $0 &* 2 }; subs.append(m.watch(in: g) { sum &+= $0 })
        time("map") { i in g.commit { $0[v] = i } } }
    do { let h = Hand(); var m = h; for _ in 0..<10 { m = m.map { $0 &+ 1 } };  m.listeners.append { sum &+= $0 }
        time("hand 10 map") { h.set($0) } }
    do { let g = Graph(); let v = Variable(-1); var m: Observable<Int> = v; for _ in 0..<10 { m = m.map { $0 &+ 1 } }; subs.append(m.watch(in: g) { sum &+= $0 })
        time("10 map") { i in g.commit { $0[v] = i } } }
    do { let h = Hand(); let a = h.map { $0 &+ 1 }, b = h.map { $0 &* 2}; let c = Hand(); a.listeners.append { c.set($0 &+ b.value) }; b.listeners.append { c.set(a.value &+ $0) }; c.listeners.append { sum &+= $0 }
        time("hand diamond") { h.set($0) } }
    do { let g = Graph(); let v = Variable(-1); let a = v.map { $0 &+ 1 }, b = v.map { $0 &* 2}; 
        subs.append(combineLatest(a, b).map { $0 &+ $1 }.watch(in: g) { sum &+= $0 })
        time("diamond") { i in g.commit { $0[v] = i } } }
    do { let h = Hand(); for _ in 0..<1000 { h.listeners.append { sum &+= $0 } }
        time("hand 1000 watchers", 10000) { h.set($0) } }
    do { let g = Graph(); let v = Variable(-1);  for _ in 0..<1000 { subs.append(v.watch(in: g) { sum &+= $0 })}
        time("1000 watchers", 10000) { i in g.commit { $0[v] = i } } }
}
go()
