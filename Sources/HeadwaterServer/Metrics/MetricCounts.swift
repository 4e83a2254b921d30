import StateStore

/// The counts of one loop, or of several together.
struct MetricCounts: Sendable {
    var requests: [Metrics.RequestKey: Int] = [:]
    var actions: [Metrics.ActionKey: Int] = [:]
    var limited: [Metrics.LimitKey: Int] = [:]
    var refusals: [String: Int] = [:]
    var commits = 0
    var commitSeconds = Histogram(Histogram.seconds)
    var requestSeconds = Histogram(Histogram.seconds)
    var streams = 0
    var polls = 0
    var spaces = 0
    var spaceBytes = 0
    var fullSpaces = 0
    var frames = 0
    var conflated = 0
    var resumes = [0, 0]
    var connections = 0
    /// The seconds that the loop let this count wait.
    var lagSeconds = 0.0

    mutating func add(_ other: MetricCounts) {
        requests.merge(other.requests, uniquingKeysWith: +)
        actions.merge(other.actions, uniquingKeysWith: +)
        limited.merge(other.limited, uniquingKeysWith: +)
        refusals.merge(other.refusals, uniquingKeysWith: +)
        commits += other.commits
        commitSeconds.add(other.commitSeconds)
        requestSeconds.add(other.requestSeconds)
        streams += other.streams
        polls += other.polls
        spaces += other.spaces
        spaceBytes += other.spaceBytes
        fullSpaces += other.fullSpaces
        frames += other.frames
        conflated += other.conflated
        resumes[0] += other.resumes[0]
        resumes[1] += other.resumes[1]
        connections += other.connections
        lagSeconds = max(lagSeconds, other.lagSeconds)
    }
}

extension Exposition {
    /// Writes all that the loops have counted together.
    mutating func add(_ count: MetricCounts) {
        begin("headwater_actions_total", .counter, "Actions, by what came of them.")
        for (key, value) in count.actions.sorted(by: {
            ($0.key.feature, $0.key.action, $0.key.outcome.rawValue) < (
                $1.key.feature, $1.key.action, $1.key.outcome.rawValue
            )
        }) {
            add(
                "headwater_actions_total",
                [("feature", key.feature), ("action", key.action), ("outcome", "\(key.outcome)")],
                Double(value))
        }
        add("headwater_commits_total", .counter, "Commits that were kept.", Double(count.commits))
        add("headwater_commit_seconds", "Time from reading a request to storing its commit.", count.commitSeconds)
        add("headwater_spaces_loaded", .gauge, "Spaces in memory.", Double(count.spaces))
        add(
            "headwater_spaces_loaded_bytes", .gauge, "Bytes that the spaces in memory take, by estimate.",
            Double(count.spaceBytes))
        add(
            "headwater_spaces_full", .gauge,
            "Spaces in memory that are as large as one space may be: actions that make them grow are refused.",
            Double(count.fullSpaces))
        add("headwater_streams_active", .gauge, "Open event streams.", Double(count.streams))
        add("headwater_polls_waiting", .gauge, "Long polls that wait.", Double(count.polls))
        add("headwater_frames_sent_total", .counter, "Values sent on streams.", Double(count.frames))
        add(
            "headwater_frames_conflated_total", .counter, "Values that slow readers never saw, for newer ones.",
            Double(count.conflated))
        begin("headwater_resumes_total", .counter, "Streams that came back, by whether what they had was current.")
        add("headwater_resumes_total", [("outcome", "current")], Double(count.resumes[0]))
        add("headwater_resumes_total", [("outcome", "behind")], Double(count.resumes[1]))
        begin("headwater_limited_total", .counter, "Requests beyond a limit of their subject, by limit and class.")
        for (key, value) in count.limited.sorted(by: {
            ($0.key.limit.rawValue, $0.key.kind.rawValue) < ($1.key.limit.rawValue, $1.key.kind.rawValue)
        }) {
            add(
                "headwater_limited_total", [("limit", "\(key.limit)"), ("class", "\(key.kind)")], Double(value))
        }
        begin("headwater_refusals_total", .counter, "Refused requests, by the name of the problem.")
        for (kind, value) in count.refusals.sorted(by: { $0.key < $1.key }) {
            add("headwater_refusals_total", [("problem", kind)], Double(value))
        }
        add(
            "headwater_loop_lag_seconds", .gauge, "Seconds that the busiest loop let this request wait.",
            count.lagSeconds)
        add("headwater_connections", .gauge, "Open connections.", Double(count.connections))
        begin("headwater_http_requests_total", .counter, "Requests, by kind of path and status.")
        for (key, value) in count.requests.sorted(by: { ($0.key.path, $0.key.status) < ($1.key.path, $1.key.status) }) {
            add("headwater_http_requests_total", [("route", key.path), ("status", String(key.status))], Double(value))
        }
        add(
            "headwater_http_request_duration_seconds", "Time from reading a request to answering it, without streams.",
            count.requestSeconds)
    }
}
