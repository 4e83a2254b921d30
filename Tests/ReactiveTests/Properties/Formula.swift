import Reactive

/// The recipe of one node of a random graph, with the numbers of its source nodes.
enum Formula {
    case variable(Int)
    case map(Int, adding: Int)
    case filter(Int, modulus: Int)
    case removeDuplicates(Int, modulus: Int)
    case scan(Int)
    case combine([Int])
    case merge([Int])
    case zip(Int, Int)
    case withLatestFrom(Int, Int)
    case choose(by: Int, among: [Int])
    case spread(Int)

    /// Creates a random recipe over `count` nodes. Operators with memory are left out on demand.
    static func random(over count: Int, withMemory: Bool, using dice: inout Dice) -> Formula {
        func node() -> Int { Int.random(in: 0..<count, using: &dice) }
        func nodes() -> [Int] { (0..<Int.random(in: 2...4, using: &dice)).map { _ in node() } }
        switch Int.random(in: 0..<(withMemory ? 10 : 3), using: &dice) {
        case 0: return .map(node(), adding: Int.random(in: 1...9, using: &dice))
        case 1: return .combine(nodes())
        case 2: return .choose(by: node(), among: nodes())
        case 3: return .filter(node(), modulus: Int.random(in: 2...3, using: &dice))
        case 4: return .removeDuplicates(node(), modulus: Int.random(in: 2...4, using: &dice))
        case 5: return .scan(node())
        case 6: return .merge(nodes())
        case 7: return .zip(node(), node())
        case 8: return .spread(node())
        default: return .withLatestFrom(node(), node())
        }
    }

    /// Returns the observable over the earlier nodes. Calls `computed` at each computation.
    func observable(over nodes: [Observable<Int>], computed: @escaping () -> Void) -> Observable<Int> {
        switch self {
        case .variable(let value): Variable(value)
        case .map(let source, let number):
            nodes[source].map {
                computed()
                return Formula.mix($0, number)
            }
        case .filter(let source, let modulus): nodes[source].filter { $0 % modulus == 0 }
        case .removeDuplicates(let source, let modulus): nodes[source].removeDuplicates { $0 % modulus == $1 % modulus }
        case .scan(let source): nodes[source].scan(0, Formula.mix)
        case .combine(let sources):
            combineLatest(sources.map { nodes[$0] }).map {
                computed()
                return $0.reduce(0, Formula.mix)
            }
        case .merge(let sources): Reactive.merge(sources.map { nodes[$0] })
        case .zip(let one, let other): Reactive.zip(nodes[one], nodes[other]).map(Formula.mix)
        case .withLatestFrom(let source, let other): nodes[source].withLatestFrom(nodes[other]).map(Formula.mix)
        case .choose(let chooser, let sources):
            nodes[chooser].flatMapLatest {
                computed()
                return nodes[sources[abs($0) % sources.count]]
            }
        case .spread(let source): nodes[source].flatMap { .from([$0, Formula.mix($0, 1)]) }
        }
    }

    /// Combines two numbers to one that depends on both and on their order.
    static func mix(_ one: Int, _ other: Int) -> Int {
        (one &* 31 &+ other &* 7 &+ 3) % 10_007
    }
}
