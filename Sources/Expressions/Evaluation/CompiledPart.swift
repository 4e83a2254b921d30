/// A compiled part of a formula.
struct CompiledPart {
    let step: EvaluationStep
    /// Steps that it takes at most, as far as can be told.
    let cost: Int
    /// How long the list or map is that comes out, where that is known.
    var length: Int?
    /// What comes out, where that is always the same.
    var constant: CELValue?
    /// Where it lies, where it is a variable.
    var slot: Int?

    init(cost: Int, length: Int? = nil, _ step: @escaping EvaluationStep) {
        self.step = step
        self.cost = cost
        self.length = length
    }

    /// What is always the same.
    init(_ value: CELValue) {
        step = { _ in value }
        cost = 0
        constant = value
        switch value {
        case .list(let list): length = list.count
        case .map(let map): length = map.count
        default: break
        }
    }

    /// A variable.
    init(slot: Int, length: Int?) {
        step = { $0.slots[slot] }
        cost = 0
        self.slot = slot
        self.length = length
    }
}

extension Int {
    /// Prices do not run over: what is too dear is so however dear it is.
    static func cost(_ left: Int, times right: Int) -> Int {
        let (product, isOver) = left.multipliedReportingOverflow(by: right)
        return isOver ? .max / 4 : Swift.min(product, .max / 4)
    }

    static func cost(_ parts: Int...) -> Int { cost(parts) }

    static func cost(_ parts: [Int]) -> Int { parts.reduce(0) { Swift.min($0 + $1, .max / 4) } }
}
