/// A reference model of a random graph: it recomputes every node at every commit, regardless of cost.
struct NaiveModel {
    private(set) var formulas: [Formula]
    /// The latest value of each node.
    private(set) var latest: [Int?]
    /// The values that each node delivered in the last commit, in order.
    private(set) var delivered: [[Int]]
    /// The memory of each node.
    private var previous: [Int?]
    private var sums: [Int]
    private var queues: [([Int], [Int])]

    init(_ formulas: [Formula]) {
        self.formulas = formulas
        latest = formulas.map { _ in nil }
        delivered = formulas.map { _ in [] }
        previous = latest
        sums = formulas.map { _ in 0 }
        queues = formulas.map { _ in ([], []) }
        // At the start, each node receives the latest value of each of its sources.
        for node in formulas.indices {
            compute(node) { $0.latest[$1].map { [$0] } ?? [] }
            latest[node] = delivered[node].last
        }
    }

    mutating func commit(_ writes: [Int: Int]) {
        for node in formulas.indices {
            if case .variable = formulas[node] {
                delivered[node] = writes[node].flatMap { $0 == latest[node] ? nil : [$0] } ?? []
            } else {
                compute(node) { $0.delivered[$1] }
            }
            latest[node] = delivered[node].last ?? latest[node]
        }
    }

    private mutating func compute(_ node: Int, arrivals: (NaiveModel, Int) -> [Int]) {
        func from(_ source: Int) -> [Int] { arrivals(self, source) }
        var values: [Int] = []
        switch formulas[node] {
        case .variable(let value): values = [value]
        case .map(let source, let number): values = from(source).map { Formula.mix($0, number) }
        case .filter(let source, let modulus): values = from(source).filter { $0 % modulus == 0 }
        case .removeDuplicates(let source, let modulus):
            for value in from(source) where previous[node].map({ $0 % modulus != value % modulus }) ?? true {
                previous[node] = value
                values.append(value)
            }
        case .scan(let source):
            for value in from(source) {
                sums[node] = Formula.mix(sums[node], value)
                values.append(sums[node])
            }
        case .combine(let sources):
            let all = sources.compactMap { latest[$0] }
            if all.count == sources.count, sources.contains(where: { !from($0).isEmpty }) {
                values = [all.reduce(0, Formula.mix)]
            }
        case .merge(let sources): values = sources.flatMap(from)
        case .zip(let one, let other):
            queues[node].0 += from(one)
            queues[node].1 += from(other)
            while let first = queues[node].0.first, let second = queues[node].1.first {
                values.append(Formula.mix(first, second))
                queues[node].0.removeFirst()
                queues[node].1.removeFirst()
            }
        case .withLatestFrom(let source, let other):
            values = latest[other].map { latest in from(source).map { Formula.mix($0, latest) } } ?? []
        case .choose(let chooser, let sources):
            if let choice = latest[chooser] {
                let chosen = sources[abs(choice) % sources.count]
                values = from(chooser).isEmpty ? from(chosen) : latest[chosen].map { [$0] } ?? []
            }
        case .spread(let source): values = from(source).flatMap { [$0, Formula.mix($0, 1)] }
        }
        delivered[node] = values
    }
}
