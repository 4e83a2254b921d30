import StateStore

/// The counters of one loop.
final class Metrics {
    /// The kinds of paths, by index.
    let paths: [String]
    /// Requests by kind of path and status, in one row: to count one costs an addition.
    private var requestCounts: [Int]
    private static let statusLimit = 600
    /// One for each action that was asked for.
    private var outcomes: [Outcomes] = []
    var commitSeconds = Histogram(Histogram.seconds)
    var requestSeconds = Histogram(Histogram.seconds)
    var streams = 0
    var frames = 0
    var conflated = 0
    /// Requests beyond a limit of a subject, by limit and class of account, in one row.
    private var limitedCounts = [Int](repeating: 0, count: Rate.Limit.allCases.count * Account.Kind.allCases.count)
    /// Refusals by the name of their problem.
    private(set) var refusals: [String: Int] = [:]
    /// Streams that came back: with what was current, or with something older.
    var resumes = [0, 0]

    init(paths: [String]) {
        self.paths = paths
        requestCounts = [Int](repeating: 0, count: paths.count * Self.statusLimit)
    }

    struct RequestKey: Hashable {
        let path: String
        let status: Int
    }

    struct ActionKey: Hashable {
        let feature: String
        let action: String
        let outcome: ActionOutcome
    }

    struct LimitKey: Hashable {
        let limit: Rate.Limit
        let kind: Account.Kind
    }

    /// The outcome of an action.
    enum ActionOutcome: Int, CaseIterable {
        case ok, unchanged, replayed, refused, failed, rehearsed
    }

    /// The outcomes of one action, counted.
    final class Outcomes {
        fileprivate(set) var place: ActionID
        private(set) var counts = [Int](repeating: 0, count: ActionOutcome.allCases.count)

        init(_ place: ActionID) {
            self.place = place
        }

        func count(_ outcome: ActionOutcome) {
            counts[outcome.rawValue] += 1
        }
    }

    /// Counts a refusal.
    func countRefusal(_ kind: ProblemType) { refusals[kind.name, default: 0] += 1 }

    /// Counts a request beyond a limit of a subject. Metrics never have the name of a subject.
    func countLimited(_ limit: Rate.Limit, _ kind: Account.Kind) {
        limitedCounts[limit.rawValue * Account.Kind.allCases.count + kind.rawValue] += 1
    }

    /// Requests beyond a limit of a subject.
    var limited: [LimitKey: Int] {
        var limited: [LimitKey: Int] = [:]
        for limit in Rate.Limit.allCases {
            for kind in Account.Kind.allCases {
                let count = limitedCounts[limit.rawValue * Account.Kind.allCases.count + kind.rawValue]
                if count > 0 { limited[LimitKey(limit: limit, kind: kind)] = count }
            }
        }
        return limited
    }

    /// Counts an answer; `seconds` is nil for a stream, because its first byte says nothing about its duration.
    func countRequest(_ path: Int, _ status: Int, seconds: Double?) {
        requestCounts[path * Self.statusLimit + status] += 1
        if let seconds { requestSeconds.add(seconds) }
    }

    /// Requests by kind of path and status.
    var requests: [RequestKey: Int] {
        var requests: [RequestKey: Int] = [:]
        for (index, count) in requestCounts.enumerated() where count > 0 {
            requests[RequestKey(path: paths[index / Self.statusLimit], status: index % Self.statusLimit)] = count
        }
        return requests
    }

    /// Returns the counts of the outcomes of an action.
    func outcomes(of place: ActionID) -> Outcomes {
        if let outcomes = outcomes.first(where: { $0.place === place }) { return outcomes }
        // An action of another definition of its feature.
        if let outcomes = outcomes.first(where: { $0.place.name == place.name }) {
            outcomes.place = place
            return outcomes
        }
        let new = Outcomes(place)
        outcomes.append(new)
        return new
    }

    /// Actions by name and what came of them.
    var actions: [ActionKey: Int] {
        var actions: [ActionKey: Int] = [:]
        for counted in outcomes {
            for outcome in ActionOutcome.allCases where counted.counts[outcome.rawValue] > 0 {
                let key = ActionKey(feature: counted.place.feature, action: counted.place.action, outcome: outcome)
                actions[key, default: 0] += counted.counts[outcome.rawValue]
            }
        }
        return actions
    }
}
