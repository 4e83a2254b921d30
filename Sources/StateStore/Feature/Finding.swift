import JSON

/// Something that only effects may say: what they have found out, or done. It is an action in all else, but clients are not offered it, and one who
/// asks for it is told that there is no such action.
public struct Finding<Input: Record> {
    let perform: (Input, inout Commit) throws(Rejection) -> Void

    /// A finding that is said with an input.
    public init(_ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void) {
        self.perform = perform
    }
}

extension Finding where Input == Nothing {
    /// A finding of which nothing need be said.
    public init(_ perform: @escaping (inout Commit) throws(Rejection) -> Void) {
        self.init { (_: Nothing, commit: inout Commit) throws(Rejection) in try perform(&commit) }
    }
}

extension Finding: AnyAction {
    static var inputSchema: JSON { Input.schema }
    static var isForClients: Bool { false }

    func perform(_ input: [UInt8]?, _ commit: inout Commit) throws(Rejection) {
        try perform(Action<Input>.input(input), &commit)
    }
}
