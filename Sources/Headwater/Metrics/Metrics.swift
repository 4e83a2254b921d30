/// What one loop counts.
final class Metrics {
    /// Requests by kind of path and status, in one row: to count one costs an addition.
    private var requestCounts = [Int](repeating: 0, count: Resource.templates.count * statusLimit)
    private static let statusLimit = 600
    /// Actions by name and what came of them.
    private(set) var actions: [ActionKey: Int] = [:]
    var commits = 0
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
    enum Outcome: String, Hashable {
        case ok, unchanged, replayed, refused, failed
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

    func countAction(_ feature: String, _ action: String, _ outcome: Outcome) {
        actions[ActionKey(feature: feature, action: action, outcome: outcome), default: 0] += 1
    }
}
