import JSON
import Reactive
import StateStore

/// What is known of the repositories that anybody follows, once for all spaces.
struct ActivityState {
    /// What is polled, by repository.
    let sources = Table<String, Source>()
    /// The newest events, by repository.
    let events = Table<String, RepositoryEvents>()
    /// Which space follows what: `owner/name space`.
    let followers = Table<String, Bool>()
    /// That nothing may be asked of GitHub for a while.
    let pause = Variable<Pause?>(nil)
}

/// A repository that is polled.
struct Source: Record {
    /// How many spaces follow it.
    var followers = 0
    /// What a conditional request is made of: RFC 9110, section 13.1.
    var etag: String?
    var lastModified: String?
    /// When events were had last: microseconds since 1970.
    var updatedAt: Int?
    /// That somebody wants it polled now, by the version that said so.
    var refresh: Int?
    /// Why it could not be polled when that was last tried.
    var problem: String?

    static let shape = Shape(Source()) {
        $0.required("followers", \.followers)
        $0.optional("etag", \.etag)
        $0.optional("lastModified", \.lastModified)
        $0.optional("updatedAt", \.updatedAt)
        $0.optional("refresh", \.refresh)
        $0.optional("problem", \.problem)
    }
}

extension Source {
    /// Whether an answer is to be expected: nothing is known of it yet, or somebody has asked.
    var isAwaited: Bool { refresh != nil || (updatedAt == nil && problem == nil) }
}

/// The events of a repository, newest first.
struct RepositoryEvents: Record {
    var events: [FeedEvent] = []

    static let shape = Shape(RepositoryEvents()) {
        $0.required("events", \.events)
    }
}

/// That GitHub wants to be left alone.
struct Pause: Record {
    /// Microseconds since 1970.
    var until = 0
    var reason = ""

    static let shape = Shape(Pause()) {
        $0.required("until", \.until)
        $0.required("reason", \.reason)
    }
}
