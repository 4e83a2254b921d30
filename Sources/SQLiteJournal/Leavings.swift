internal import JSON
internal import StateStore

/// What commits leave of the variables that they set as a whole, as long as those are few: then a snapshot is made of that alone, and nobody reads
/// what was true for a moment.
struct Leavings {
    /// How many variables are few.
    static let limit = 8

    private var facts: [Fact] = []
    private var latest = 0
    private var isTooMuch = false
    private var commits = 0

    /// Begins anew.
    mutating func reset() {
        facts.removeAll(keepingCapacity: true)
        latest = 0
        isTooMuch = false
        commits = 0
    }

    /// Adds what the next commit says.
    mutating func add(_ more: Facts) {
        commits += 1
        if isTooMuch { return }
        more.forEach { fact in
            if latest < facts.count, facts[latest].variable == fact.variable, fact.entry == nil { return facts[latest] = fact }
            guard fact.entry == nil else { return isTooMuch = true }
            if let place = facts.firstIndex(where: { Exact($0.variable) == Exact(fact.variable) }) {
                facts[place] = fact
                latest = place
            } else if facts.count < Self.limit {
                latest = facts.count
                facts.append(fact)
            } else {
                isTooMuch = true
            }
        }
    }

    /// Writes them as an object, if they are less than what they stand for.
    func write(to writer: inout JSONWriter) {
        guard !isTooMuch, commits > facts.count else { return }
        FactsText.write(changed: Facts(facts), to: &writer)
    }
}
