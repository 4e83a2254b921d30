import JSON
import Reactive
import StateStore

/// The events of all followed repositories, kept once for all spaces.
struct ActivityState {
    /// The polled repositories, by name.
    let sources = Table<String, PolledRepository>()
    /// The newest events, by repository.
    let events = Table<String, RepositoryEvents>()
    /// The followers, by `owner/name space`.
    let followers = Table<String, Bool>()
    /// The period without requests to GitHub, or nil.
    let pause = Variable<Pause?>(nil)
}

/// A repository that the server polls.
struct PolledRepository: Record {
    /// The number of spaces that follow it.
    var followers = 0
    /// The validators for a conditional request (RFC 9110, section 13.1).
    var etag: String?
    var lastModified: String?
    /// The time of the last successful poll with events, in microseconds since 1970.
    var updatedAt: Int?
    /// The version of the commit that requested a poll now, or nil.
    var refresh: Int?
    /// The reason for the failure of the last poll, or nil.
    var problem: String?

    static let shape = Shape(PolledRepository()) {
        $0.required("followers", \.followers)
        $0.optional("etag", \.etag)
        $0.optional("lastModified", \.lastModified)
        $0.optional("updatedAt", \.updatedAt)
        $0.optional("refresh", \.refresh)
        $0.optional("problem", \.problem)
    }
}

extension PolledRepository {
    /// True if a poll result is pending: the repository has no result yet, or a poll was requested.
    var isAwaited: Bool { refresh != nil || (updatedAt == nil && problem == nil) }
}

/// The events of a repository, newest first.
struct RepositoryEvents: Record {
    var events: [FeedEvent] = []

    static let shape = Shape(RepositoryEvents()) {
        $0.required("events", \.events)
    }
}

/// A period during which GitHub accepts no requests.
struct Pause: Record {
    /// The end of the period, in microseconds since 1970.
    var until = 0
    var reason = ""

    static let shape = Shape(Pause()) {
        $0.required("until", \.until)
        $0.required("reason", \.reason)
    }
}
