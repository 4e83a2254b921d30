import JSON

/// One thing that can be done to the state of a feature.
public struct Action<Input: Record> {
    let perform: (Input, inout Commit) throws(Rejection) -> Void

    /// An action that is given an input.
    public init(_ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void) {
        self.perform = perform
    }
}

extension Action where Input == Nothing {
    /// An action that needs nothing.
    public init(_ perform: @escaping (inout Commit) throws(Rejection) -> Void) {
        self.init { (_: Nothing, commit: inout Commit) throws(Rejection) in try perform(&commit) }
    }
}

/// An action, whatever its input is.
protocol AnyAction {
    /// What it is given.
    static var inputSchema: JSON { get }
    /// Whether clients may do it, and not effects alone.
    static var isForClients: Bool { get }
    /// Does it with an input that is JSON; nothing is the same as an object without members.
    func perform(_ input: [UInt8]?, _ commit: inout Commit) throws(Rejection)
}

extension Action: AnyAction {
    static var inputSchema: JSON { Input.schema }
    static var isForClients: Bool { true }

    func perform(_ input: [UInt8]?, _ commit: inout Commit) throws(Rejection) {
        try perform(Input(given: input), &commit)
    }
}

extension Record {
    /// What was given as JSON; nothing is the same as an object without members.
    init(given input: [UInt8]?) throws(Rejection) {
        do {
            try self.init(parsing: input ?? Array("{}".utf8))
        } catch {
            throw Rejection(error)
        }
    }
}
