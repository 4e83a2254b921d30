public import JSON

/// An operation on the state of a feature.
public struct Action<Input: Record> {
    /// Performs the action with an input in JSON; nil is the same as an object without members.
    @usableFromInline let run: ([UInt8]?, inout Commit) throws(Rejection) -> Void
    /// Does it with an input that is a tree; nil if the input is read from text only.
    @usableFromInline let runTree: ((JSON, inout Commit) throws(Rejection) -> Void)?

    /// An action that is given an input.
    @inlinable
    public init(_ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void) {
        run = { bytes, commit throws(Rejection) in try perform(Self.input(bytes), &commit) }
        runTree = nil
    }

    /// An action whose input is also made of a tree, for a caller in this process that has one.
    package init(
        reading read: @escaping (JSON) -> Input, _ perform: @escaping (Input, inout Commit) throws(Rejection) -> Void
    ) {
        run = { bytes, commit throws(Rejection) in try perform(Self.input(bytes), &commit) }
        runTree = { tree, commit throws(Rejection) in try perform(read(tree), &commit) }
    }

    /// The input that JSON says; nothing is the same as an object without members.
    @inlinable
    static func input(_ bytes: [UInt8]?) throws(Rejection) -> Input {
        do throws(JSONError) {
            guard let bytes else { return try Input(parsing: [UInt8(ascii: "{"), UInt8(ascii: "}")]) }
            return try Input(parsing: bytes)
        } catch {
            throw Rejection(error)
        }
    }
}

extension Action where Input == NoInput {
    /// An action that needs nothing.
    @inlinable
    public init(_ perform: @escaping (inout Commit) throws(Rejection) -> Void) {
        self.init { (_: NoInput, commit: inout Commit) throws(Rejection) in try perform(&commit) }
    }
}

/// An action, whatever its input is.
protocol AnyAction {
    /// The schema of the input.
    static var inputSchema: JSON { get }
    /// True if clients can perform it; false if only effects can.
    static var isForClients: Bool { get }
    /// Performs the action with an input in JSON; nil is the same as an object without members.
    var run: ([UInt8]?, inout Commit) throws(Rejection) -> Void { get }
    /// Does it with an input that is a tree; nil if the input is read from text only.
    var runTree: ((JSON, inout Commit) throws(Rejection) -> Void)? { get }
}

extension AnyAction {
    var runTree: ((JSON, inout Commit) throws(Rejection) -> Void)? { nil }
}

extension Action: AnyAction {
    static var inputSchema: JSON { Input.schema }
    static var isForClients: Bool { true }
}
