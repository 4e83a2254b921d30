/// Synthetic responses in the format of GitHub's API.
enum GitHubShapes {
    /// Returns an event, with additional members that the parser ignores.
    static func event(
        _ id: Int, _ repository: String = "ada/engine", at time: String = "12:00:00", type: String = "PushEvent"
    ) -> String {
        """
        {"id": "\(id)", "type": "\(type)", "actor": {"id": 7, "login": "ada", "display_login": "ada", "gravatar_id": "",
        "url": "https://api.github.test/users/ada", "avatar_url": "https://avatars.github.test/u/7?"},
        "repo": {"id": 9, "name": "\(repository)", "url": "https://api.github.test/repos/\(repository)"},
        "payload": {"repository_id": 9, "push_id": 1, "size": 1, "ref": "refs/heads/main", "commits": [{"sha": "00ff", "distinct": true}]},
        "public": true, "created_at": "2026-01-31T\(time)Z", "org": {"id": 3, "login": "engines"}}
        """
    }

    static func events(_ events: String...) -> String { "[\(events.joined(separator: ","))]" }

    static func search(_ names: String...) -> String {
        let items = names.map {
            #"{"id": 1, "name": "n", "full_name": "\#($0)", "private": false, "stargazers_count": 9, "score": 1.0}"#
        }
        return #"{"total_count": 2, "incomplete_results": false, "items": [\#(items.joined(separator: ","))]}"#
    }
}
