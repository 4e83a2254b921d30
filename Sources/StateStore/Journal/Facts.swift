/// The facts of a commit, in their order. Most commits change one thing, and that is told without an array.
public struct Facts: Hashable, Sendable {
    /// No two contents that say the same are different cases.
    private enum Content: Hashable, Sendable {
        case none
        case one(Fact)
        case more([Fact])
    }

    private var content = Content.none

    /// The facts of a list.
    public init(_ facts: [Fact] = []) {
        switch facts.count {
        case 0: content = .none
        case 1: content = .one(facts[0])
        default: content = .more(facts)
        }
    }

    /// Adds one at the end.
    mutating func append(_ fact: Fact) {
        switch content {
        case .none: content = .one(fact)
        case .one(let first): content = .more([first, fact])
        case .more(var facts):
            content = .none
            facts.append(fact)
            content = .more(facts)
        }
    }

    /// The variables that they are about, each once, in their order.
    var variables: [String] {
        var variables: [String] = []
        for fact in self where variables.last != fact.variable && !variables.contains(fact.variable) { variables.append(fact.variable) }
        return variables
    }

    /// Whether these are the variables that they are about, each in one fact.
    func are(of variables: [String]) -> Bool {
        switch content {
        case .none: variables.isEmpty
        case .one(let fact): variables.count == 1 && variables[0] == fact.variable
        case .more(let facts): variables.elementsEqual(facts) { $0 == $1.variable }
        }
    }
}

extension Facts: RandomAccessCollection {
    /// The place of the first.
    public var startIndex: Int { 0 }

    /// The place after the last.
    public var endIndex: Int {
        switch content {
        case .none: 0
        case .one: 1
        case .more(let facts): facts.count
        }
    }

    /// Whether there are none.
    public var isEmpty: Bool {
        if case .none = content { true } else { false }
    }

    /// The one at a place.
    public subscript(place: Int) -> Fact {
        switch content {
        case .none: preconditionFailure("there are no facts, so there is none at \(place)")
        case .one(let fact):
            precondition(place == 0, "there is one fact, so there is none at \(place)")
            return fact
        case .more(let facts): return facts[place]
        }
    }

    /// Does something with each, in their order.
    public func forEach<Failure: Error>(_ body: (Fact) throws(Failure) -> Void) throws(Failure) {
        switch content {
        case .none: break
        case .one(let fact): try body(fact)
        case .more(let facts): for fact in facts { try body(fact) }
        }
    }
}

extension Facts: ExpressibleByArrayLiteral {
    /// The facts of a list.
    public init(arrayLiteral facts: Fact...) {
        self.init(facts)
    }
}
