import JSON
import StateStore

/// An event in a repository.
struct FeedEvent: Record {
    /// The account that caused the event.
    struct Actor: Record {
        var login = ""
        var avatar = ""

        static let shape = Shape(Actor()) {
            $0.required("login", \.login)
            $0.required("avatar", \.avatar)
        }
    }

    var id = ""
    var type = ""
    var actor = Actor()
    var repository = ""
    /// The time in UTC, in GitHub's notation: `2026-01-31T12:00:00Z`. The texts sort by time.
    var createdAt = ""

    static let shape = Shape(FeedEvent()) {
        $0.required("id", \.id)
        $0.required("type", \.type)
        $0.required("actor", \.actor)
        $0.required("repository", \.repository)
        $0.required("createdAt", \.createdAt)
    }
}

extension FeedEvent {
    /// The maximum number of events kept for each repository, and shown for all repositories of a space.
    static let limit = 50
    /// The maximum length of a text in an event, in bytes.
    private static let textLimit = 300

    /// Parses an event of GitHub's API; nil if it is malformed.
    init?(_ told: JSON) {
        guard let id = Self.text(told["id"]), let type = Self.text(told["type"]),
            let login = Self.text(told["actor"]?["login"]),
            let repository = Self.text(told["repo"]?["name"]), let createdAt = Self.text(told["created_at"]),
            createdAt.utf8.count == 20, createdAt.hasSuffix("Z")
        else { return nil }
        self.id = id
        self.type = type
        // The view passes this address to browsers, so only web addresses are accepted.
        let avatar = Self.text(told["actor"]?["avatar_url"]) ?? ""
        actor = Actor(login: login, avatar: avatar.hasPrefix("https://") || avatar.hasPrefix("http://") ? avatar : "")
        self.repository = repository
        self.createdAt = createdAt
    }

    private static func text(_ value: JSON?) -> String? {
        guard case .string(let text)? = value, !text.isEmpty, text.utf8.count <= textLimit else { return nil }
        return text
    }

    /// Merges lists of events: each event once, newest first, at most `limit`.
    static func merged(_ origins: some Sequence<[FeedEvent]>) -> [FeedEvent] {
        var byID: [String: FeedEvent] = [:]
        for event in origins.joined() { byID[event.id] = event }
        return Array(
            byID.values.sorted { ($1.createdAt, $1.id.count, $1.id) < ($0.createdAt, $0.id.count, $0.id) }.prefix(limit)
        )
    }
}
