import StateStore

/// The actions that follow repositories.
struct FeedService: StateService {
    /// The maximum number of repositories that a space can follow.
    static let repositoriesLimit = 100
    /// The maximum number of events shown for a repository found by its language.
    static let trendingEventsLimit = 5

    let follow: Action<RepositoryName>
    let unfollow: Action<RepositoryName>
    let followTrending: Action<TrendingLanguage>
    let refresh: Action<NoInput>

    let told: InternalAction<DeliveryReceipt>
    let refreshed: InternalAction<RequestNumber>
    let found: InternalAction<SearchResult>
    let notFound: InternalAction<SearchFailure>

    init(_ feed: FeedState) {
        func follow(
            _ repository: String, place: Int = 0, showing eventsLimit: Int = FeedEvent.limit, _ commit: inout Commit
        ) throws(Rejection) {
            guard commit[feed.repositories, repository] == nil else { return }
            guard commit.rows(of: feed.repositories).count < Self.repositoriesLimit else {
                throw .conflict(
                    "\(Self.repositoriesLimit) repositories are followed, which is the limit: unfollow one first",
                    at: "repository")
            }
            commit[feed.repositories, repository] = Follow(
                since: commit.version, place: place, eventsLimit: eventsLimit)
            commit[feed.outbox, repository] = FollowChange(isFollowed: true, number: commit.version)
        }

        self.follow = Action { input, commit throws(Rejection) in
            try follow(input.repository, &commit)
            commit[feed.trendingProblem] = nil
        }
        unfollow = Action { input, commit throws(Rejection) in
            guard commit[feed.repositories, input.repository] != nil else {
                throw .conflict("\(input.repository) is not followed", at: "repository")
            }
            commit[feed.repositories, input.repository] = nil
            commit[feed.outbox, input.repository] = FollowChange(isFollowed: false, number: commit.version)
        }
        followTrending = Action { input, commit in
            commit[feed.trending] = Trending(number: commit.version, language: input.language, count: input.count)
            commit[feed.trendingProblem] = nil
        }
        refresh = Action { commit in
            guard commit[feed.refreshAsked] == nil else { return }
            let repositories = commit.rows(of: feed.repositories).keys.sorted()
            guard !repositories.isEmpty else { return }
            commit[feed.refreshAsked] = RefreshRequest(number: commit.version, repositories: repositories)
        }

        told = InternalAction { input, commit throws(Rejection) in
            guard commit[feed.outbox, input.repository]?.number == input.number else {
                throw .conflict("a later change replaced this one")
            }
            commit[feed.outbox, input.repository] = nil
        }
        refreshed = InternalAction { input, commit throws(Rejection) in
            guard commit[feed.refreshAsked]?.number == input.number else { throw .conflict("the request has ended") }
            commit[feed.refreshAsked] = nil
        }
        found = InternalAction { input, commit throws(Rejection) in
            guard commit[feed.trending]?.number == input.number else {
                throw .conflict("a later search replaced this one")
            }
            commit[feed.trending] = nil
            do throws(Rejection) {
                for (place, repository) in input.repositories.enumerated() {
                    try follow(repository, place: place, showing: Self.trendingEventsLimit, &commit)
                }
            } catch {
                commit[feed.trendingProblem] = error.description
            }
        }
        notFound = InternalAction { input, commit throws(Rejection) in
            guard commit[feed.trending]?.number == input.number else {
                throw .conflict("a later search replaced this one")
            }
            commit[feed.trending] = nil
            commit[feed.trendingProblem] = input.reason
        }
    }
}

/// A language; the space will follow its most starred repositories.
struct TrendingLanguage: Record {
    var language = ""
    var count = 5

    static let shape = Shape(TrendingLanguage()) {
        $0.required("language", \.language, .language)
        $0.optional("count", \.count, .from(1...25))
    }
}

/// The confirmation that `common` has received a follow or unfollow.
struct DeliveryReceipt: Record {
    var repository = ""
    var number = 0

    static let shape = Shape(DeliveryReceipt()) {
        $0.required("repository", \.repository)
        $0.required("number", \.number)
    }
}

/// The number of a completed request.
struct RequestNumber: Record {
    var number = 0

    static let shape = Shape(RequestNumber()) {
        $0.required("number", \.number)
    }
}

/// The result of a search.
struct SearchResult: Record {
    var number = 0
    var repositories: [String] = []

    static let shape = Shape(SearchResult()) {
        $0.required("number", \.number)
        $0.required("repositories", \.repositories)
    }
}

/// A failed search, with the reason.
struct SearchFailure: Record {
    var number = 0
    var reason = ""

    static let shape = Shape(SearchFailure()) {
        $0.required("number", \.number)
        $0.required("reason", \.reason)
    }
}
