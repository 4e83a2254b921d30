import JSON
import StateStore

/// Something that happened in a repository.
struct FeedEvent: Record {
    /// Who did it.
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
    /// In UTC, as GitHub writes it: `2026-01-31T12:00:00Z`. So written, earlier comes first.
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
    /// How many are kept of each repository, and shown of all that a space follows.
    static let limit = 50
    /// The longest text of an event that is taken.
    private static let textLimit = 300

    /// An event as GitHub's API tells it; nil for what is none.
    init?(_ told: JSON) {
        guard let id = Self.text(told["id"]), let type = Self.text(told["type"]), let login = Self.text(told["actor"]?["login"]),
            let repository = Self.text(told["repo"]?["name"]), let createdAt = Self.text(told["created_at"]),
            createdAt.utf8.count == 20, createdAt.hasSuffix("Z")
        else { return nil }
        self.id = id
        self.type = type
        // An address that is none of the web's is none that anybody should be sent to.
        let avatar = Self.text(told["actor"]?["avatar_url"]) ?? ""
        actor = Actor(login: login, avatar: avatar.hasPrefix("https://") || avatar.hasPrefix("http://") ? avatar : "")
        self.repository = repository
        self.createdAt = createdAt
    }

    private static func text(_ value: JSON?) -> String? {
        guard case .string(let text)? = value, !text.isEmpty, text.utf8.count <= textLimit else { return nil }
        return text
    }

    /// Events of several origins, each once, the newest first, no more than the limit.
    static func merged(_ origins: some Sequence<[FeedEvent]>) -> [FeedEvent] {
        var byID: [String: FeedEvent] = [:]
        for event in origins.joined() { byID[event.id] = event }
        return Array(byID.values.sorted { ($1.createdAt, $1.id.count, $1.id) < ($0.createdAt, $0.id.count, $0.id) }.prefix(limit))
    }
}
