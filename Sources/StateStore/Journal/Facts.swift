/// The facts of a commit, in their order. Most commits change one thing, and that is told without an array.
public struct Facts: Hashable, Sendable {
    /// The number of facts.
    public private(set) var count = 0
    // No optional, since to copy one and to let go of it takes a hundred instructions.
    private var first = Fact(variable: "", value: nil)
    private var others: [Fact] = []

    /// The facts of a list.
    public init(_ facts: [Fact] = []) {
        for fact in facts { append(fact) }
    }

    /// Adds one at the end.
    mutating func append(_ fact: Fact) {
        if count == 0 { first = fact } else { others.append(fact) }
        count += 1
    }

    /// The variables that they are about, each once, in their order.
    var variables: [String] {
        var variables: [String] = []
        for fact in self where variables.last != fact.variable && !variables.contains(fact.variable) {
            variables.append(fact.variable)
        }
        return variables
    }

    /// The variable that the one at a place is about. To ask for that copies nothing else of it.
    func variable(at place: Int) -> String {
        place == 0 ? first.variable : others[place - 1].variable
    }
}

extension Facts: RandomAccessCollection {
    /// The place of the first.
    public var startIndex: Int { 0 }

    /// The place after the last.
    public var endIndex: Int { count }

    /// The one at a place.
    public subscript(place: Int) -> Fact {
        precondition(place < count, "there are \(count) facts, so there is none at \(place)")
        return place == 0 ? first : others[place - 1]
    }

    /// Does something with each, in their order.
    public func forEach<Failure: Error>(_ body: (Fact) throws(Failure) -> Void) throws(Failure) {
        if count > 0 { try body(first) }
        for fact in others { try body(fact) }
    }
}

extension Facts: ExpressibleByArrayLiteral {
    /// The facts of a list.
    public init(arrayLiteral facts: Fact...) {
        self.init(facts)
    }
}
