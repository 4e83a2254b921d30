internal import JSON
internal import StateStore

/// The last values of the variables that a batch of commits sets, if they are few and set as a whole. Loading the newest
/// state needs only these, and not the values in between. (A snapshot that advances reads all values, because the past
/// keeps them.)
struct FinalValues {
    /// The maximum number of variables.
    static let limit = 8

    private var facts: [Fact] = []
    private var latest = 0
    private var isTooMuch = false
    private var commits = 0

    /// Removes all values.
    mutating func reset() {
        facts.removeAll(keepingCapacity: true)
        latest = 0
        isTooMuch = false
        commits = 0
    }

    /// Adds the facts of the next commit.
    mutating func add(_ more: Facts) {
        commits += 1
        if isTooMuch { return }
        more.forEach { fact in
            if latest < facts.count, facts[latest].variable == fact.variable, fact.entry == nil {
                return facts[latest] = fact
            }
            guard fact.entry == nil else { return isTooMuch = true }
            if let place = facts.firstIndex(where: { ByteString($0.variable) == ByteString(fact.variable) }) {
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

    /// Writes the values as an object, if they are fewer than the commits.
    func write(to writer: inout JSONWriter) {
        guard !isTooMuch, commits > facts.count else { return }
        FactsText.write(changed: Facts(facts), to: &writer)
    }
}
