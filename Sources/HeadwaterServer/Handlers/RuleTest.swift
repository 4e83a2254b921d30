import HTTP
import JSON
import StateStore

/// A test of rules as a request describes it: claims, and what a caller with them would read or do.
struct RuleTest {
    /// The action or the view of a test.
    enum TestedPart {
        case view(ViewKey)
        case action(ActionID, input: [UInt8]?)
    }

    private static let members = ["token", "right", "view", "action", "input"]
    private static let rights = ["read", "act", "admin"]

    let caller: Caller
    /// The right of the caller; nil for that of the grants, or `act` without any.
    let right: Rights?
    let part: TestedPart

    /// Reads the body of a request.
    init(_ body: JSON, _ store: Store) throws(Rejection) {
        guard case .object(let object) = body else {
            throw Rejection(.invalid, "the body must be an object", at: JSONPointer())
        }
        for member in object where !Self.members.contains(member.key) {
            throw Rejection(
                .invalid, "there is no member of this name", at: JSONPointer([member.key]), allowed: Self.members)
        }
        caller = try Self.caller(object["token"])
        right = try Self.right(object["right"])
        switch (object["view"], object["action"]) {
        case (.string(let view)?, nil):
            guard object["input"] == nil else {
                throw Rejection(
                    .invalid, "a view has no input: its parameters follow its name", at: JSONPointer(["input"]))
            }
            do throws(ParameterFault) {
                part = .view(try store.viewName(ViewKey(view)))
            } catch {
                throw Rejection(.invalid, error.description, at: JSONPointer(["view"]), allowed: error.allowed)
            }
        case (nil, .string(let name)?):
            let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let id = store.registry.action(feature: parts[0], name: parts[1]), !id.defines
            else {
                throw Rejection(.invalid, "there is no such action: GET /v1 lists all", at: JSONPointer(["action"]))
            }
            part = .action(id, input: object["input"].map(\.written))
        default:
            throw Rejection(
                .invalid, "name either a view, as feature.name, or an action, as feature/name", at: JSONPointer())
        }
    }

    private static func caller(_ token: JSON?) throws(Rejection) -> Caller {
        guard let token, token != .null else { return .nobody }
        guard case .object(var claims) = token else {
            throw Rejection(
                .invalid, "token is an object of claims, or null for a caller without one", at: JSONPointer(["token"]))
        }
        switch claims["sub"] {
        case .string(let subject)?: return Caller(subject, claims: token)
        case nil:
            claims["sub"] = ""
            return Caller("", claims: .object(claims))
        default: throw Rejection(.invalid, "the claim sub is a text", at: JSONPointer(["token", "sub"]))
        }
    }

    private static func right(_ right: JSON?) throws(Rejection) -> Rights? {
        guard let right else { return nil }
        guard case .string(let name) = right, rights.contains(name) else {
            throw Rejection(.invalid, "right is one of the allowed", at: JSONPointer(["right"]), allowed: rights)
        }
        do throws(PermissionFault) {
            return try Rights(names: [name])
        } catch {
            throw Rejection(.invalid, error.description, at: JSONPointer(["right"]))
        }
    }
}
