package import JSON

/// An action that only effects perform, to report results. A client cannot perform it: a request for it
/// is answered as if the action did not exist.
public struct InternalAction<Input: Record> {
    let action: Action<Input>

    /// An internal action with an input.
    public init(_ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void) {
        action = Action(perform)
    }
}

extension InternalAction {
    /// An internal action whose input is also made from a tree, for a caller in this process that has one.
    package init(
        reading read: @escaping (JSON) -> Input, _ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void
    ) {
        action = Action(reading: read, perform)
    }
}

extension InternalAction where Input == NoInput {
    /// An internal action without an input.
    public init(_ perform: @escaping (inout Commit) throws(Rejection) -> Void) {
        action = Action(perform)
    }
}

extension InternalAction: AnyAction {
    package static var inputSchema: JSON { Input.schema }
    package static var isForClients: Bool { false }
    package var closures: ActionClosures { action.closures }
}
