import Ground
public import JSON
public import Reactive

/// A commit of a space by an action of one of its features.
public struct OwnCommit<Input: JSONConvertible & Equatable>: Equatable {
    /// The action, as `feature/name`.
    public let action: String
    /// The version of the space after the commit.
    public let version: Int
    /// The time of the commit.
    public let at: Timestamp
    /// The input.
    public let input: Input
}

extension OwnCommit: JSONWritable {
    /// Writes the commit as an object: `action`, `at`, `input` and `version`.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("action") { action.write(to: &$0) }
            writer.field("at") { RFC3339.text(microseconds: at.microseconds).write(to: &$0) }
            writer.field("input") { input.write(to: &$0) }
            writer.field("version") { version.write(to: &$0) }
        }
    }
}

/// The commits of a space by an action, as `cart/add`, with the inputs of the action. They are events: a view remembers
/// them with a named operator.
///
///     added = changes("cart/add", Addition.self).reduce("added", 0) { $0 + $1.input.quantity }
///
/// Precondition: the initializer of a view model calls this.
public func changes<Input: JSONConvertible & Equatable & SchemaProviding>(
    _ action: String, _ input: Input.Type
) -> Observable<OwnCommit<Input>> {
    commits(of: [action], schema: Input.schema)
}

/// The commits of a space by some actions, with the inputs as the callers sent them: without one, an empty object.
///
/// Precondition: the initializer of a view model calls this.
public func changes(_ actions: String...) -> Observable<OwnCommit<JSON>> {
    commits(of: actions, schema: nil)
}

private func commits<Input>(of actions: [String], schema: JSON?) -> Observable<OwnCommit<Input>> {
    let source = CommitSource(actions, schema)
    let isCollected = NamedOperators.add(source)
    return Observable(madeBy: CommitSource.maker) { output in
        guard isCollected else {
            return output.finish(
                .failed(OperatorFailure("changes(…) was not called in the initializer of a view model")))
        }
        output.statefulness = .never
        output.undo = { [weak source] in source?.emit = nil }
        source.emit = { [unowned output] change in
            output.attempt {
                let bytes = change.input ?? Array("{}".utf8)
                output.emit(
                    OwnCommit(
                        action: change.action, version: change.version, at: change.at,
                        input: try Input(parsing: bytes)))
            }
        }
    }
}

/// A source of the commits by some actions.
final class CommitSource {
    static let maker: StaticString = "changes"

    let actions: [String]
    /// The schema of the inputs; nil for any.
    let schema: JSON?
    /// Delivers a commit in a turn; nil while nobody listens.
    fileprivate(set) var emit: ((OwnChange) -> Void)?

    init(_ actions: [String], _ schema: JSON?) {
        self.actions = actions
        self.schema = schema
    }

    var isActive: Bool { emit != nil }

    func deliver(_ change: OwnChange) { emit?(change) }
}
