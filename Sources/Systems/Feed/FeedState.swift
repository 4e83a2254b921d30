import Reactive
import StateStore

/// The repositories that a space follows.
struct FeedState {
    /// The followed repositories, by name.
    let repositories = Table<String, Follow>()
    /// The reports not yet delivered to `common`, by repository.
    let outbox = Table<String, FollowChange>()
    /// The request to poll all repositories now, or nil.
    let refreshAsked = Variable<RefreshRequest?>(nil)
    /// The search in progress, or nil.
    let trending = Variable<Trending?>(nil)
    let trendingProblem = Variable<String?>(nil)
}

/// A followed repository.
struct Follow: Record {
    /// The version of the commit that followed it, and its index in that commit; the list sorts by both.
    var since = 0
    var place = 0
    /// The maximum number of its events in the view.
    var eventsLimit = FeedEvent.limit

    static let shape = Shape(Follow()) {
        $0.required("since", \.since)
        $0.required("place", \.place)
        $0.required("eventsLimit", \.eventsLimit)
    }
}

/// A follow or unfollow to report to `common`.
struct FollowChange: Record {
    var isFollowed = false
    /// The version of the commit that made the change.
    var number = 0

    static let shape = Shape(FollowChange()) {
        $0.required("isFollowed", \.isFollowed)
        $0.required("number", \.number)
    }
}

/// A request to poll all repositories now.
struct RefreshRequest: Record {
    var number = 0
    var repositories: [String] = []

    static let shape = Shape(RefreshRequest()) {
        $0.required("number", \.number)
        $0.required("repositories", \.repositories)
    }
}

/// A search for the most starred repositories of a language; the space will follow them.
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
