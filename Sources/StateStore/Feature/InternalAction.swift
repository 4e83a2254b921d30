import JSON

/// Something that only effects may say: what they have found out, or done. It is an action in all else, but clients are not offered it, and one who
/// asks for it is told that there is no such action.
public struct InternalAction<Input: Record> {
    let action: Action<Input>

    /// A finding that is said with an input.
    public init(_ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void) {
        action = Action(perform)
    }
}

extension InternalAction where Input == NoInput {
    /// A finding of which nothing need be said.
    public init(_ perform: @escaping (inout Commit) throws(Rejection) -> Void) {
        action = Action(perform)
    }
}

extension InternalAction: AnyAction {
    static var inputSchema: JSON { Input.schema }
    static var isForClients: Bool { false }
    var run: ([UInt8]?, inout Commit) throws(Rejection) -> Void { action.run }
}
