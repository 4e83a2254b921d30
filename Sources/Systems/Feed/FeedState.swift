import Reactive
import StateStore

/// What somebody follows.
struct FeedState {
    /// By repository.
    let repositories = Table<String, Follow>()
    /// What `common` has yet to be told: by repository.
    let outbox = Table<String, FollowNews>()
    /// That all are to be polled now, by the version that said so.
    let refreshAsked = Variable<RefreshRequest?>(nil)
    /// That a language is searched for.
    let trending = Variable<Trending?>(nil)
    let trendingProblem = Variable<String?>(nil)
}

/// That a repository is followed.
struct Follow: Record {
    /// The version and the place in it that first said so, which is the place it has among the others.
    var since = 0
    var place = 0
    /// How many of its events are shown at the most.
    var eventsLimit = FeedEvent.limit

    static let shape = Shape(Follow()) {
        $0.required("since", \.since)
        $0.required("place", \.place)
        $0.required("eventsLimit", \.eventsLimit)
    }
}

/// That a repository is followed from now on, or not any more.
struct FollowNews: Record {
    var isFollowed = false
    /// By the version that said so.
    var number = 0

    static let shape = Shape(FollowNews()) {
        $0.required("isFollowed", \.isFollowed)
        $0.required("number", \.number)
    }
}

/// That all repositories are to be polled now.
struct RefreshRequest: Record {
    var number = 0
    var repositories: [String] = []

    static let shape = Shape(RefreshRequest()) {
        $0.required("number", \.number)
        $0.required("repositories", \.repositories)
    }
}

/// That the most starred repositories of a language are searched for, to be followed.
struct Trending: Record {
    var number = 0
    var language = ""
    var count = 5

    static let shape = Shape(Trending()) {
        $0.required("number", \.number)
        $0.required("language", \.language)
        $0.required("count", \.count)
    }
}
