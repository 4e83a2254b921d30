import JSON
import Outgoing
import StateStore

/// A hook that a document declares for every space of its home.
struct DocumentHook: Hashable {
    /// The feature, and the name that its document gives the hook.
    let feature: String
    let name: String
    /// True if the home of the feature is `common`.
    let isOfCommon: Bool
    let source: HookSource
    let url: String
    /// The name of a secret that the operator gives.
    let secret: String

    /// The id of the hook in each space. No name of a feature or of a hook contains a dot.
    var id: String { "\(feature).\(name)" }

    /// The hooks of a document, which was checked when it was put.
    static func all(in document: JSON) -> [DocumentHook] {
        guard case .string(let feature)? = document["feature"], case .object(let hooks)? = document["hooks"] else {
            return []
        }
        return hooks.compactMap { member in
            let hook = member.value
            guard case .string(let url)? = hook["url"], case .string(let secret)? = hook["secret"] else { return nil }
            var source: HookSource?
            if case .string(let view)? = hook["source"]?["view"] { source = .view(view) }
            if case .array(let patterns)? = hook["source"]?["changes"] {
                source = .changes(patterns.compactMap { if case .string(let text) = $0 { text } else { nil } })
            }
            return source.map {
                DocumentHook(
                    feature: feature, name: member.key, isOfCommon: document["home"] == "common", source: $0,
                    url: url, secret: secret)
            }
        }
    }

    /// The faults of the hooks of a document that its own check does not see: of sources, of hosts and of secrets.
    static func faults(in document: JSON, _ surroundings: HookSurroundings) -> [DocumentFault] {
        all(in: document).flatMap { hook -> [DocumentFault] in
            let place = ["hooks", hook.name]
            var faults: [DocumentFault] = []
            func add(_ detail: String, _ members: String..., allowed: [String] = []) {
                faults.append(DocumentFault(detail, at: JSONPointer(place + members), allowed: allowed))
            }
            switch hook.source {
            case .changes(let patterns):
                for (index, pattern) in patterns.enumerated() where !HookSource.isPattern(pattern) {
                    add(
                        "a pattern is an action such as cart/add, all actions of a feature such as cart/*, or *",
                        "source", "changes", "\(index)")
                }
            case .view(let view):
                let name = ViewKey(view)
                if name.feature == hook.feature, document["views"]?[name.label] == nil {
                    add("there is no view \(view)", "source", "view")
                }
            }
            if let url = try? WebAddress(hook.url) {
                if surroundings.allowed.reach(of: url) == nil {
                    add(
                        "the operator does not allow this host: see --outgoing-allow", "url",
                        allowed: surroundings.allowed.names)
                }
            } else {
                add("url must be a URL that begins with https:// or http://", "url")
            }
            if surroundings.secrets[hook.secret] == nil {
                add(
                    "the operator gives no secret of this name: see --secret", "secret",
                    allowed: surroundings.secrets.keys.sorted())
            }
            return faults
        }
    }

    /// Returns true if the commits of a space can concern the hook.
    func isIn(_ space: SpaceName) -> Bool { isOfCommon == (space == .common) }

    /// Returns true if a stored hook is this one as it is now.
    func isStored(as hook: StoredHook) -> Bool {
        hook.document == feature && hook.source == source && hook.url == url && hook.secret == secret
    }

    /// The input that stores the hook for a space, from which it delivers after a version.
    func input(in space: SpaceName, after version: Int, common: Int, since: Int) -> HookInput {
        var input = HookInput()
        input.hook = "\(space)/\(id)"
        switch source {
        case .changes(let patterns): input.changes = patterns
        case .view(let view): input.view = view
        }
        (input.version, input.common) = (version, common)
        (input.oldestVersion, input.oldestCommon) = (version, 0)
        (input.document, input.url, input.secret, input.since) = (feature, url, secret, since)
        return input
    }
}
