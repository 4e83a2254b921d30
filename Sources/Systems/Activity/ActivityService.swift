import StateStore

/// The actions that keep the events of repositories. Effects perform all of them: those of following spaces, and the
/// pollers.
struct ActivityService: StateService {
    let enrol: InternalAction<Enrolment>
    let withdraw: InternalAction<Enrolment>
    let left: SpaceDeletionHandler
    let refresh: InternalAction<Repositories>
    let fetched: InternalAction<PollResult>
    let unchanged: InternalAction<RepositoryName>
    let failed: InternalAction<PollFailure>
    let limited: InternalAction<Pause>

    init(_ activity: ActivityState) {
        // Enrolling is idempotent: a space that does not know if its call arrived repeats it.
        enrol = InternalAction { input, commit in
            guard commit[activity.followers, input.key] == nil else { return }
            commit[activity.followers, input.key] = true
            var source = commit[activity.sources, input.repository] ?? PolledRepository()
            source.followers += 1
            commit[activity.sources, input.repository] = source
        }
        func withdraw(_ enrolment: Enrolment, _ commit: inout Commit) {
            let repository = enrolment.repository
            guard commit[activity.followers, enrolment.key] != nil, var source = commit[activity.sources, repository]
            else { return }
            commit[activity.followers, enrolment.key] = nil
            source.followers -= 1
            commit[activity.sources, repository] = source.followers > 0 ? source : nil
            if source.followers == 0 { commit[activity.events, repository] = nil }
        }
        self.withdraw = InternalAction { input, commit in withdraw(input, &commit) }
        left = SpaceDeletionHandler(to: { commit in
            Set(commit.rows(of: activity.followers).keys.compactMap { Enrolment(key: $0)?.space })
        }) {
            space, commit in
            for enrolment in commit.rows(of: activity.followers).keys.compactMap({ Enrolment(key: $0) })
            where enrolment.space == space {
                withdraw(enrolment, &commit)
            }
        }
        refresh = InternalAction { input, commit in
            for repository in input.repositories {
                guard commit[activity.sources, repository]?.refresh == nil else { continue }
                commit[activity.sources, repository]?.refresh = commit.version
            }
        }
        /// A response to a request from before the pause may arrive during the pause; it does not end the pause.
        func endPause(_ commit: inout Commit) {
            if let pause = commit[activity.pause], pause.until <= Int(commit.now.microseconds) {
                commit[activity.pause] = nil
            }
        }
        fetched = InternalAction { input, commit throws(Rejection) in
            guard var source = commit[activity.sources, input.repository] else {
                throw .conflict("no space follows the repository any more")
            }
            source.etag = input.etag
            source.lastModified = input.lastModified
            source.updatedAt = Int(commit.now.microseconds)
            source.refresh = nil
            source.problem = nil
            commit[activity.sources, input.repository] = source
            let known = commit[activity.events, input.repository]?.events ?? []
            commit[activity.events, input.repository] = RepositoryEvents(
                events: FeedEvent.merged([known, input.events]))
            endPause(&commit)
        }
        unchanged = InternalAction { input, commit throws(Rejection) in
            guard var source = commit[activity.sources, input.repository] else {
                throw .conflict("no space follows the repository any more")
            }
            source.refresh = nil
            source.problem = nil
            commit[activity.sources, input.repository] = source
            endPause(&commit)
        }
        failed = InternalAction { input, commit throws(Rejection) in
            guard var source = commit[activity.sources, input.repository] else {
                throw .conflict("no space follows the repository any more")
            }
            source.refresh = nil
            source.problem = input.reason
            commit[activity.sources, input.repository] = source
        }
        limited = InternalAction { input, commit in
            commit[activity.pause] = input
        }
    }
}

/// A space that starts or stops following a repository.
struct Enrolment: Record {
    var repository = ""
    var space = ""

    static let shape = Shape(Enrolment()) {
        $0.required("repository", \.repository)
        $0.required("space", \.space)
    }

    /// The key in the table of followers. Neither name contains a blank.
    var key: String { "\(repository) \(space)" }
}

extension Enrolment {
    /// Parses a key; nil if it does not have two parts.
    init?(key: String) {
        let parts = key.split(separator: " ")
        guard parts.count == 2 else { return nil }
        self.init(repository: String(parts[0]), space: String(parts[1]))
    }
}

/// A list of repository names.
struct Repositories: Record {
    var repositories: [String] = []

    static let shape = Shape(Repositories()) {
        $0.required("repositories", \.repositories)
    }
}

/// The result of a successful poll.
struct PollResult: Record {
    var repository = ""
    var etag: String?
    var lastModified: String?
    var events: [FeedEvent] = []

    static let shape = Shape(PollResult()) {
        $0.required("repository", \.repository)
        $0.optional("etag", \.etag)
        $0.optional("lastModified", \.lastModified)
        $0.required("events", \.events)
    }
}

/// A failed poll, with the reason.
struct PollFailure: Record {
    var repository = ""
    var reason = ""

    static let shape = Shape(PollFailure()) {
        $0.required("repository", \.repository)
        $0.required("reason", \.reason)
    }
}
