/// A compiled part of a formula.
struct CompiledPart {
    let step: EvaluationStep
    /// The estimated maximum number of steps.
    let cost: Int
    /// The length of the resulting list or map, if known.
    var length: Int?
    /// The result, if it is constant.
    var constant: CELValue?
    /// The slot, if the part is a variable.
    var slot: Int?

    init(cost: Int, length: Int? = nil, _ step: @escaping EvaluationStep) {
        self.step = step
        self.cost = cost
        self.length = length
    }

    /// Creates a constant.
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

    /// Creates a variable.
    init(slot: Int, length: Int?) {
        step = { $0.slots[slot] }
        cost = 0
        self.slot = slot
        self.length = length
    }
}

extension Int {
    /// Adds and multiplies costs with saturation at `.max / 4`, so that they never overflow.
    static func cost(_ left: Int, times right: Int) -> Int {
        let (product, isOver) = left.multipliedReportingOverflow(by: right)
        return isOver ? .max / 4 : Swift.min(product, .max / 4)
    }

    static func cost(_ parts: Int...) -> Int { cost(parts) }

    static func cost(_ parts: [Int]) -> Int { parts.reduce(0) { Swift.min($0 + $1, .max / 4) } }
}
