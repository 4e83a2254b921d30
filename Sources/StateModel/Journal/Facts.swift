/// The facts of a commit, in their order. A commit with one fact, the most common case, needs no array.
package struct Facts: Hashable, Sendable {
    /// The number of facts.
    package private(set) var count = 0
    // Not optional, because copying and releasing an optional takes about 100 instructions.
    private var first = Fact(variable: "", value: nil)
    private var others: [Fact] = []

    /// The facts of a list.
    package init(_ facts: [Fact] = []) {
        for fact in facts { append(fact) }
    }

    /// Appends a fact.
    package mutating func append(_ fact: Fact) {
        if count == 0 { first = fact } else { others.append(fact) }
        count += 1
    }

    /// Appends facts in their order.
    package mutating func append(contentsOf facts: Facts) {
        guard facts.count > 0 else { return }
        append(facts.first)
        others += facts.others
        count += facts.others.count
    }

    /// The maximum number of bytes of the facts of an action: 16 MiB.
    package static let sizeLimit = 16 * 1_024 * 1_024

    /// The number of bytes of the entries and values.
    package var size: Int {
        guard count > 0 else { return 0 }
        return others.reduce(first.size) { $0 + $1.size }
    }

    /// The names of the changed variables as clients see them, each once, in their order. Memory is not among them.
    package var variables: [String] {
        var variables: [String] = []
        for fact in self where variables.last != fact.variable && !Fact.isMemory(fact.variable) {
            let name = Fact.publicName(fact.variable)
            if !variables.contains(name) { variables.append(name) }
        }
        return variables
    }

    /// Returns the variable of the fact at `place` without copying the fact.
    func variable(at place: Int) -> String {
        place == 0 ? first.variable : others[place - 1].variable
    }
}

extension Facts: RandomAccessCollection {
    /// The index of the first fact: 0.
    package var startIndex: Int { 0 }

    /// The index after the last fact.
    package var endIndex: Int { count }

    /// The fact at `place`.
    package subscript(place: Int) -> Fact {
        precondition(place < count, "there are \(count) facts, so there is none at \(place)")
        return place == 0 ? first : others[place - 1]
    }

    /// Calls `body` with each fact, in order.
    package func forEach<Failure: Error>(_ body: (Fact) throws(Failure) -> Void) throws(Failure) {
        if count > 0 { try body(first) }
        for fact in others { try body(fact) }
    }
}

extension Facts: ExpressibleByArrayLiteral {
    /// The facts of a list.
    package init(arrayLiteral facts: Fact...) {
        self.init(facts)
    }
}
