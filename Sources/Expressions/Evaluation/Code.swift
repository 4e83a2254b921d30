/// A compiled part of a formula.
struct Code {
    let step: Step
    /// Steps that it takes at most, as far as can be told.
    let price: Int
    /// How long the list or map is that comes out, where that is known.
    var length: Int?
    /// What comes out, where that is always the same.
    var constant: Value?
    /// Where it lies, where it is a variable.
    var slot: Int?

    init(price: Int, length: Int? = nil, _ step: @escaping Step) {
        self.step = step
        self.price = price
        self.length = length
    }

    /// What is always the same.
    init(_ value: Value) {
        step = { _ in value }
        price = 0
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
        price = 0
        self.slot = slot
        self.length = length
    }
}

extension Int {
    /// Prices do not run over: what is too dear is so however dear it is.
    static func priced(_ left: Int, times right: Int) -> Int {
        let (product, isOver) = left.multipliedReportingOverflow(by: right)
        return isOver ? .max / 4 : Swift.min(product, .max / 4)
    }

    static func priced(_ parts: Int...) -> Int { priced(parts) }

    static func priced(_ parts: [Int]) -> Int { parts.reduce(0) { Swift.min($0 + $1, .max / 4) } }
}
