public import JSON

/// The reason why the server, or this client, refused something: a problem document (RFC 9457).
public struct ServerProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the problem, for programs: `/problems/conflict`.
    public var type: String
    /// The status of the answer.
    public var status: Int
    /// The cause and the remedy in words.
    public var detail: String
    /// The place in the input that is at fault, for a form: `/amount`; nil if no single place is.
    public var pointer: String?
    /// The values that the place may have, if they are few.
    public var allowed: [String]
    /// The whole document, with members that this client does not know.
    public var document: JSON

    /// A problem of this client.
    package init(type: String, status: Int = 0, detail: String) {
        self.type = type
        self.status = status
        self.detail = detail
        pointer = nil
        allowed = []
        document = [
            "type": .string(type), "status": .number(JSON.Number(Int64(status))), "detail": .string(detail),
        ]
    }

    /// A problem from its document; members that are missing have defaults.
    public init(_ document: JSON, status: Int = 0) {
        self.document = document
        type = document["type"]?.text ?? "about:blank"
        self.status = document["status"]?.integer ?? status
        detail = document["detail"]?.text ?? document["title"]?.text ?? "the server answered \(status)"
        pointer = document["pointer"]?.text
        allowed = document["allowed"]?.elements.compactMap(\.text) ?? []
    }

    /// The last name of the pointer: the field of a form.
    public var field: String? { pointer.flatMap { JSONPointer(text: $0)?.tokens.last } }

    /// The cause and the remedy.
    public var description: String { detail }
}

extension JSON {
    /// The text of a string; nil for other values.
    var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The integer; nil for other values.
    var integer: Int? { if case .number(let number) = self { number.int64.map { Int($0) } } else { nil } }
    /// The elements of an array; none for other values.
    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    /// The members of an object; none for other values.
    var members: Object { if case .object(let members) = self { members } else { Object() } }
    /// The value as bytes.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
