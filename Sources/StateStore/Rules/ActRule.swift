public import JSON

/// A rule that says who performs the actions of a feature. A service stores it beside its actions.
///
///     struct VaultService: StateService {
///         let allow: ActRule
///         let fill: Action<Filling>
///
///         init(_ vault: VaultState) {
///             allow = ActRule { _, commit in commit[vault.members, commit.caller.subject ?? ""] != nil }
///             …
///         }
///     }
///
/// The rule is asked in the commit, before the action, and reads the state that the action changes. It must not write.
/// An error that it throws stands for false. It does not bind the server's own actions: those of effects and alarms.
public final class ActRule {
    private let allows: (JSON, borrowing Commit) throws -> Bool
    /// The rule of a described feature, whose expressions read through a commit of their own.
    private let checks: ((JSON, inout Commit) -> Bool)?

    /// A rule that sees the input of the action, an object.
    public init(_ allows: @escaping (_ input: JSON, _ commit: borrowing Commit) throws -> Bool) {
        self.allows = allows
        checks = nil
    }

    /// A rule of a described feature.
    package static func checking(_ checks: @escaping (JSON, inout Commit) -> Bool) -> ActRule {
        ActRule(allows: { _, _ in false }, checks: checks)
    }

    private init(
        allows: @escaping (JSON, borrowing Commit) throws -> Bool, checks: ((JSON, inout Commit) -> Bool)?
    ) {
        self.allows = allows
        self.checks = checks
    }

    /// Throws if the rule does not allow a client its row in a table with presence.
    func check(presence input: JSON, _ commit: inout Commit) throws(Rejection) {
        guard let checks else { return try check(input, commit) }
        guard checks(input, &commit) else { throw .forbidden }
    }

    /// Throws if the rule does not allow the caller of a commit an action with some input.
    func check(_ input: @autoclosure () throws(Rejection) -> JSON, _ commit: borrowing Commit) throws(Rejection) {
        guard !commit.caller.isServer else { return }
        let input = try input()
        guard (try? allows(input, commit)) == true else { throw .forbidden }
    }

    /// Reads the input of an action.
    static func input(_ bytes: [UInt8]?) throws(Rejection) -> JSON {
        guard let bytes else { return [:] }
        do throws(JSONError) {
            return try JSON(parsing: bytes)
        } catch {
            throw Rejection(error)
        }
    }
}

extension Rejection {
    /// The rejection of a caller whom a rule of the action, or of its feature, does not allow.
    @usableFromInline
    package static let forbidden = Rejection(.forbidden, "the rules of this action do not allow it to you")
}
