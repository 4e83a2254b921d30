public import JSON

/// An operation on the state of a feature.
public struct Action<Input: Record> {
    @usableFromInline package let closures: ActionClosures

    /// An action with an input.
    @inlinable
    public init(_ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void) {
        closures = ActionClosures(
            run: { bytes, commit throws(Rejection) in try perform(Self.input(bytes), &commit) }, runTree: nil,
            tree: Self.tree)
    }

    /// An action with an input, for the callers whom `allow` returns true for. The rule is asked in the commit, on the
    /// state that the action changes. It must not write; an error that it throws stands for false.
    @inlinable
    public init(
        allow: @escaping (Input, borrowing Commit) throws -> Bool,
        _ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void
    ) {
        closures = ActionClosures(
            run: { bytes, commit throws(Rejection) in
                let input = try Self.input(bytes)
                if commit.caller.isBound {
                    guard (try? allow(input, commit)) == true else { throw .forbiddenByAction }
                }
                try perform(input, &commit)
            }, runTree: nil, tree: Self.tree, hasRule: true)
    }

    /// An action whose input is also made from a tree, for a caller in this process that has one.
    package init(
        reading read: @escaping (JSON) -> Input, _ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void
    ) {
        closures = ActionClosures(
            run: { bytes, commit throws(Rejection) in try perform(Self.input(bytes), &commit) },
            runTree: { tree, commit throws(Rejection) in try perform(read(tree), &commit) }, tree: Self.tree)
    }

    /// Reads the input from JSON; nil stands for an object without members.
    @inlinable
    static func input(_ bytes: [UInt8]?) throws(Rejection) -> Input {
        do throws(JSONError) {
            guard let bytes else { return try Input(parsing: [UInt8(ascii: "{"), UInt8(ascii: "}")]) }
            return try Input(parsing: bytes)
        } catch {
            throw Rejection(error)
        }
    }

    /// Reads the input, and returns it as an object with the defaults of its fields.
    @usableFromInline
    static func tree(_ bytes: [UInt8]?) throws(Rejection) -> JSON {
        let input = try input(bytes)
        do throws(JSONError) {
            return try input.tree()
        } catch {
            throw Rejection(error)
        }
    }
}

extension Action where Input == NoInput {
    /// An action without an input.
    @inlinable
    public init(_ perform: @escaping (inout Commit) throws(Rejection) -> Void) {
        self.init { (_: NoInput, commit: inout Commit) throws(Rejection) in try perform(&commit) }
    }

    /// An action without an input, for the callers whom `allow` returns true for.
    @inlinable
    public init(
        allow: @escaping (borrowing Commit) throws -> Bool,
        _ perform: @escaping (inout Commit) throws(Rejection) -> Void
    ) {
        self.init(
            allow: { (_: NoInput, commit: borrowing Commit) in try allow(commit) },
            { (_: NoInput, commit: inout Commit) throws(Rejection) in try perform(&commit) })
    }
}

/// The closures that perform one action of one space.
///
/// An object, so that a service stores each action as one word, which `PropertyLayout` reads by its offset.
@usableFromInline
package final class ActionClosures {
    /// Performs the action with an input in JSON; nil stands for an object without members.
    let run: ([UInt8]?, inout Commit) throws(Rejection) -> Void
    /// Performs the action with an input that is a tree; nil if the input is read from text only.
    let runTree: ((JSON, inout Commit) throws(Rejection) -> Void)?
    /// Returns the checked input as an object with its defaults, for the rule of the feature.
    let tree: ([UInt8]?) throws(Rejection) -> JSON
    /// True if the closures ask a rule of the action.
    let hasRule: Bool

    @usableFromInline
    init(
        run: @escaping ([UInt8]?, inout Commit) throws(Rejection) -> Void,
        runTree: ((JSON, inout Commit) throws(Rejection) -> Void)?,
        tree: @escaping ([UInt8]?) throws(Rejection) -> JSON,
        hasRule: Bool = false
    ) {
        self.tree = tree
        self.hasRule = hasRule
        self.run = run
        self.runTree = runTree
    }
}

/// An action, whatever the type of its input. Its closures are the first word of its memory.
package protocol AnyAction {
    /// The schema of the input.
    static var inputSchema: JSON { get }
    /// The schema of the value that the action answers; nil if it answers none.
    static var outputSchema: JSON? { get }
    /// True if clients can perform the action; false if only effects can.
    static var isForClients: Bool { get }
    var closures: ActionClosures { get }
}

extension AnyAction {
    /// True if the action has a rule of its own.
    var hasRule: Bool { closures.hasRule }
}

extension Action: AnyAction {
    package static var inputSchema: JSON { Input.schema }
    package static var isForClients: Bool { true }
}

extension AnyAction {
    package static var outputSchema: JSON? { nil }
}
