public import JSON

/// A rule that says who performs the actions of a feature. A service stores it beside its actions.
///
///     struct VaultService: StateService {
///         let allow: ActRule
///         let fill: Action<Filling>
///
///         init(_ vault: VaultState) {
///             allow = ActRule { _, commit in commit[vault.members, commit.caller.subject ?? ""] != nil }
///             fill = Action { filling, commit in commit[vault.secret] = filling.text }
///         }
///     }
///
/// The rule is asked in the commit, before the action, and reads the state that the action changes. It must not write.
/// An error that it throws stands for false. It does not bind the server's own actions: those of effects and alarms.
public final class ActRule {
    private let allows: (JSON, borrowing Commit) throws -> Bool
    /// The rule of a described feature, whose expressions read through a commit of their own.
    private let checks: ((JSON, inout Commit) throws(Rejection) -> Void)?

    /// A rule that sees the checked input of the action: an object, with the defaults of its fields.
    public init(_ allows: @escaping (_ input: JSON, _ commit: borrowing Commit) throws -> Bool) {
        self.allows = allows
        checks = nil
    }

    /// A rule of a described feature.
    package static func checking(_ checks: @escaping (JSON, inout Commit) throws(Rejection) -> Void) -> ActRule {
        ActRule(allows: { _, _ in false }, checks: checks)
    }

    private init(
        allows: @escaping (JSON, borrowing Commit) throws -> Bool,
        checks: ((JSON, inout Commit) throws(Rejection) -> Void)?
    ) {
        self.allows = allows
        self.checks = checks
    }

    /// Throws if the rule of a feature does not allow a client its row in a table with presence.
    func check(presence input: JSON, of feature: String, _ commit: inout Commit) throws(Rejection) {
        guard let checks else { return try check(input, of: feature, commit) }
        try checks(input, &commit)
    }

    /// Throws if the rule of a feature does not allow the caller of a commit an action with some input.
    func check(
        _ input: @autoclosure () throws(Rejection) -> JSON, of feature: String, _ commit: borrowing Commit
    ) throws(Rejection) {
        guard !commit.caller.isServer else { return }
        let input = try input()
        guard (try? allows(input, commit)) == true else { throw .forbidden(by: feature) }
    }
}
