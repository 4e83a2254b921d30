import StateStore

/// What one loop counts.
final class Metrics {
    /// Requests by kind of path and status, in one row: to count one costs an addition.
    private var requestCounts = [Int](repeating: 0, count: Resource.templates.count * statusLimit)
    private static let statusLimit = 600
    private var outcomes: [ObjectIdentifier: Outcomes] = [:]
    var commitSeconds = Histogram(Histogram.seconds)
    var requestSeconds = Histogram(Histogram.seconds)
    var streams = 0
    var frames = 0
    var conflated = 0
    /// Streams that came back: with what was current, or with something older.
    var resumes = [0, 0]

    struct RequestKey: Hashable {
        let route: Int
        let status: Int
    }

    struct ActionKey: Hashable {
        let feature: String
        let action: String
        let outcome: Outcome
    }

    /// What came of an action.
    enum Outcome: Int, CaseIterable {
        case ok, unchanged, replayed, refused, failed
    }

    /// What came of one action, as often as it was asked for.
    final class Outcomes {
        let place: ActionID
        private(set) var counts = [Int](repeating: 0, count: Outcome.allCases.count)

        init(_ place: ActionID) {
            self.place = place
        }

        func count(_ outcome: Outcome) {
            counts[outcome.rawValue] += 1
        }
    }

    func countRequest(_ route: Int, _ status: Int) {
        requestCounts[route * Self.statusLimit + status] += 1
    }

    /// Requests by kind of path and status.
    var requests: [RequestKey: Int] {
        var requests: [RequestKey: Int] = [:]
        for (index, count) in requestCounts.enumerated() where count > 0 {
            requests[RequestKey(route: index / Self.statusLimit, status: index % Self.statusLimit)] = count
        }
        return requests
    }

    /// Where the outcomes of an action are counted.
    func outcomes(of place: ActionID) -> Outcomes {
        if let outcomes = outcomes[ObjectIdentifier(place)] { return outcomes }
        let new = Outcomes(place)
        outcomes[ObjectIdentifier(place)] = new
        return new
    }

    /// Actions by name and what came of them.
    var actions: [ActionKey: Int] {
        var actions: [ActionKey: Int] = [:]
        for counted in outcomes.values {
            for outcome in Outcome.allCases where counted.counts[outcome.rawValue] > 0 {
                let key = ActionKey(feature: counted.place.feature, action: counted.place.action, outcome: outcome)
                actions[key, default: 0] += counted.counts[outcome.rawValue]
            }
        }
        return actions
    }
}
