import StateStore

/// Keeping what is known of repositories. All of it is said by effects: those of the spaces that follow, and those that poll.
struct ActivityService: StateService {
    let enrol: Finding<Enrolment>
    let withdraw: Finding<Enrolment>
    let left: Farewell
    let refresh: Finding<Repositories>
    let fetched: Finding<Fetched>
    let unchanged: Finding<RepositoryName>
    let failed: Finding<PollFailure>
    let limited: Finding<Pause>

    init(_ activity: ActivityState) {
        // Said twice, it is as if said once: a space that does not know whether it was heard says it again.
        enrol = Finding { input, commit in
            guard commit[activity.followers, input.key] == nil else { return }
            commit[activity.followers, input.key] = true
            var source = commit[activity.sources, input.repository] ?? Source()
            source.followers += 1
            commit[activity.sources, input.repository] = source
        }
        func withdraw(_ enrolment: Enrolment, _ commit: inout Commit) {
            let repository = enrolment.repository
            guard commit[activity.followers, enrolment.key] != nil, var source = commit[activity.sources, repository] else { return }
            commit[activity.followers, enrolment.key] = nil
            source.followers -= 1
            commit[activity.sources, repository] = source.followers > 0 ? source : nil
            if source.followers == 0 { commit[activity.events, repository] = nil }
        }
        self.withdraw = Finding { input, commit in withdraw(input, &commit) }
        left = Farewell(to: { commit in Set(commit.rows(of: activity.followers).keys.compactMap { Enrolment(key: $0)?.space }) }) {
            space, commit in
            for enrolment in commit.rows(of: activity.followers).keys.compactMap({ Enrolment(key: $0) }) where enrolment.space == space {
                withdraw(enrolment, &commit)
            }
        }
        refresh = Finding { input, commit in
            for repository in input.repositories {
                guard commit[activity.sources, repository]?.refresh == nil else { continue }
                commit[activity.sources, repository]?.refresh = commit.version
            }
        }
        /// What was asked before a pause may be answered in the midst of it, which does not end it.
        func endPause(_ commit: inout Commit) {
            if let pause = commit[activity.pause], pause.until <= Int(commit.now.microseconds) { commit[activity.pause] = nil }
        }
        fetched = Finding { input, commit throws(Rejection) in
            guard var source = commit[activity.sources, input.repository] else { throw .conflict("nobody follows it any more") }
            source.etag = input.etag
            source.lastModified = input.lastModified
            source.updatedAt = Int(commit.now.microseconds)
            source.refresh = nil
            source.problem = nil
            commit[activity.sources, input.repository] = source
            let known = commit[activity.events, input.repository]?.events ?? []
            commit[activity.events, input.repository] = RepositoryEvents(events: FeedEvent.merged([known, input.events]))
            endPause(&commit)
        }
        unchanged = Finding { input, commit throws(Rejection) in
            guard var source = commit[activity.sources, input.repository] else { throw .conflict("nobody follows it any more") }
            source.refresh = nil
            source.problem = nil
            commit[activity.sources, input.repository] = source
            endPause(&commit)
        }
        failed = Finding { input, commit throws(Rejection) in
            guard var source = commit[activity.sources, input.repository] else { throw .conflict("nobody follows it any more") }
            source.refresh = nil
            source.problem = input.reason
            commit[activity.sources, input.repository] = source
        }
        limited = Finding { input, commit in
            commit[activity.pause] = input
        }
    }
}

/// That a space follows a repository, or does not any more.
struct Enrolment: Record {
    var repository = ""
    var space = ""

    static let shape = Shape(Enrolment()) {
        $0.required("repository", \.repository)
        $0.required("space", \.space)
    }

    /// Neither name has a blank in it.
    var key: String { "\(repository) \(space)" }
}

extension Enrolment {
    /// The one that has a key.
    init?(key: String) {
        let parts = key.split(separator: " ")
        guard parts.count == 2 else { return nil }
        self.init(repository: String(parts[0]), space: String(parts[1]))
    }
}

/// Repositories, by name.
struct Repositories: Record {
    var repositories: [String] = []

    static let shape = Shape(Repositories()) {
        $0.required("repositories", \.repositories)
    }
}

/// What was fetched of a repository.
struct Fetched: Record {
    var repository = ""
    var etag: String?
    var lastModified: String?
    var events: [FeedEvent] = []

    static let shape = Shape(Fetched()) {
        $0.required("repository", \.repository)
        $0.optional("etag", \.etag)
        $0.optional("lastModified", \.lastModified)
        $0.required("events", \.events)
    }
}

/// A poll that failed, and why.
struct PollFailure: Record {
    var repository = ""
    var reason = ""

    static let shape = Shape(PollFailure()) {
        $0.required("repository", \.repository)
        $0.required("reason", \.reason)
    }
}
