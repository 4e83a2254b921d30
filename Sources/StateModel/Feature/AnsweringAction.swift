public import JSON

/// An action that answers a value of its own, which the client receives as `result`. A repeat with the same idempotency
/// key receives the same value again.
///
///     add = AnsweringAction { input, commit throws(Rejection) in
///         let id = commit.newID()
///         commit[notes.notes, id] = Note(text: input.text, at: commit.now)
///         return id
///     }
public struct AnsweringAction<Input: Record, Output: JSONWritable & SchemaProviding> {
    package let closures: ActionClosures

    /// An action with an input.
    public init(_ perform: @escaping (Input, inout Commit) throws(Rejection) -> Output) {
        closures = Action(Self.answering(perform)).closures
    }

    /// An action with an input, for the callers whom `allow` returns true for, as of an `Action`.
    public init(
        allow: @escaping (Input, borrowing Commit) throws -> Bool,
        _ perform: @escaping (Input, inout Commit) throws(Rejection) -> Output
    ) {
        closures = Action(allow: allow, Self.answering(perform)).closures
    }

    /// Returns a closure that performs the action, and writes the value that it answers.
    private static func answering(
        _ perform: @escaping (Input, inout Commit) throws(Rejection) -> Output
    ) -> (Input, inout Commit) throws(Rejection) -> Void {
        { input, commit throws(Rejection) in
            let output = try perform(input, &commit)
            do throws(JSONError) {
                commit.result = try output.json()
            } catch {
                throw Rejection(.invalid, "the answer cannot be written: \(error.reason)")
            }
        }
    }
}

extension AnsweringAction where Input == NoInput {
    /// An action without an input.
    public init(_ perform: @escaping (inout Commit) throws(Rejection) -> Output) {
        self.init { (_: NoInput, commit: inout Commit) throws(Rejection) in try perform(&commit) }
    }
}

extension AnsweringAction: AnyAction {
    package static var inputSchema: JSON { Input.schema }
    package static var outputSchema: JSON? { Output.schema }
    package static var isForClients: Bool { true }
}
