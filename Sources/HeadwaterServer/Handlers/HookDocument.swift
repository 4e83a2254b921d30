import JSON
import Outgoing
import StateStore

/// A hook as a client puts it: `{"source": {"changes": ["cart/*"]}, "url": "https://…", "secret": "whsec_…"}`.
struct HookDocument {
    private static let members = ["source", "url", "secret"]

    let source: HookSource
    let url: WebAddress
    let secret: String

    /// The reason why a body is no hook.
    struct Refused: Error {
        let problem: Problem

        init(_ detail: ProblemText, at pointer: String, allowed: [String] = []) {
            problem = Problem(.invalid, detail, at: pointer, allowed: allowed)
        }

        init(_ rejection: Rejection) {
            problem = Problem(rejection)
        }
    }

    /// Reads a body. No problem repeats the secret.
    init(
        _ bytes: [UInt8], of name: HookName, _ names: ViewNames, _ allowed: AllowedHosts, _ key: DigestKey
    ) throws(Refused) {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes)
        } catch {
            throw Refused(Rejection(error))
        }
        guard case .object(let object) = json else { throw Refused("the body must be an object", at: "") }
        for member in object where !Self.members.contains(member.key) && member.key != "id" {
            throw Refused(
                "a hook has no member of this name", at: "\(JSONPointer([member.key]))", allowed: Self.members)
        }
        if let id = object["id"], id != .string(name.id) {
            throw Refused("the id must be that of the path, or be left out", at: "/id", allowed: [name.id])
        }
        source = try Self.source(object["source"], in: name.space, names, key)
        url = try Self.url(object["url"], allowed)
        guard case .string(let secret)? = object["secret"], HookSecret(secret) != nil else {
            throw Refused(
                "the secret must be whsec_ and a key in Base64, or a key as text, of up to \(HookSecret.bytesLimit) bytes",
                at: "/secret")
        }
        self.secret = secret
    }

    private static func source(
        _ json: JSON?, in space: SpaceName, _ names: ViewNames, _ key: DigestKey
    ) throws(Refused) -> HookSource {
        let forms = ["changes", "view"]
        guard case .object(let object)? = json else {
            throw Refused(
                "source must be {\"changes\": [\"cart/*\"]} or {\"view\": \"cart.totalPrice\"}", at: "/source",
                allowed: forms)
        }
        for member in object where !forms.contains(member.key) {
            throw Refused(
                "a source has no member of this name", at: "\(JSONPointer(["source", member.key]))", allowed: forms)
        }
        guard object.count == 1, let member = object.first else {
            throw Refused("a source is either changes or a view", at: "/source", allowed: forms)
        }
        if member.key == "changes" { return .changes(try patterns(member.value)) }
        guard case .string(let written) = member.value, written.utf8.count <= HookSource.textBytesLimit else {
            throw Refused("view must be the name of a view, such as cart.totalPrice", at: "/source/view")
        }
        let view: ViewKey
        do throws(ParameterFault) {
            view = try names.registry.viewName(ViewKey(written), key)
        } catch {
            throw Refused(ProblemText(error.description), at: "/source/view", allowed: error.allowed)
        }
        guard names.has(view, in: space) else {
            throw Refused(
                "there is no view \(view) in the space \(space)", at: "/source/view",
                allowed: names.all(in: space).map(\.description))
        }
        guard !names.registry.isPersonal(view) else {
            throw Refused("\(view) depends on its reader, and a hook has none", at: "/source/view")
        }
        return .view("\(view)")
    }

    private static func patterns(_ json: JSON) throws(Refused) -> [String] {
        guard case .array(let elements) = json, (1...HookSource.patternsLimit).contains(elements.count) else {
            throw Refused(
                "changes must be 1 to \(HookSource.patternsLimit) patterns of actions: cart/add, cart/* or *",
                at: "/source/changes")
        }
        var patterns: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element, HookSource.isPattern(text) else {
                throw Refused(
                    "a pattern is an action such as cart/add, all actions of a feature such as cart/*, or *",
                    at: "/source/changes/\(index)")
            }
            patterns.append(text)
        }
        return patterns
    }

    private static func url(_ json: JSON?, _ allowed: AllowedHosts) throws(Refused) -> WebAddress {
        guard case .string(let text)? = json else {
            throw Refused("url must be a URL that begins with https:// or http://", at: "/url")
        }
        let url: WebAddress
        do throws(WebAddress.Fault) {
            url = try WebAddress(text)
        } catch {
            throw Refused(ProblemText(error.description), at: "/url")
        }
        guard allowed.reach(of: url) != nil else {
            throw Refused(
                allowed.names.isEmpty
                    ? "this server delivers to no host: start it with --outgoing-allow HOST[:PORT]"
                    : "the operator does not allow this host: see --outgoing-allow", at: "/url", allowed: allowed.names)
        }
        return url
    }
}
