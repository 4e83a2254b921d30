public import JSON

/// Why an action is refused, in words that a person can act on. An action that is refused has changed nothing.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of refusal it is.
    public enum Kind: Hashable, Sendable {
        /// What was given is not JSON.
        case malformed
        /// What was given is missing something, or something in it is unknown, of the wrong type or out of range.
        case invalid
        /// What was given is fine, but the state does not allow it.
        case conflict
    }

    /// What kind of refusal it is.
    public let kind: Kind
    /// What is wrong.
    public let description: String
    /// Where in what was given.
    public let pointer: JSONPointer?
    /// What would be allowed, where that can be listed.
    public let allowed: [String]
    /// What else is wrong, where several things are.
    public let others: [Detail]

    /// One of several things that are wrong.
    public struct Detail: Hashable, Sendable {
        /// What is wrong.
        public let description: String
        /// Where in what was given.
        public let pointer: JSONPointer?
        /// What would be allowed, where that can be listed.
        public let allowed: [String]

        /// One of several things that are wrong.
        public init(_ description: String, at pointer: JSONPointer?, allowed: [String] = []) {
            self.description = description
            self.pointer = pointer
            self.allowed = allowed
        }
    }

    /// A refusal.
    public init(
        _ kind: Kind, _ description: String, at pointer: JSONPointer? = nil, allowed: [String] = [],
        others: [Detail] = []
    ) {
        self.kind = kind
        self.description = description
        self.pointer = pointer
        self.allowed = allowed
        self.others = others
    }

    /// The state does not allow it.
    public static func conflict(_ description: String, at field: String? = nil, allowed: [String] = []) -> Rejection {
        Rejection(.conflict, description, at: field.map { JSONPointer([$0]) }, allowed: allowed)
    }

    /// A field of what was given is refused.
    public static func invalid(_ description: String, at field: String, allowed: [String] = []) -> Rejection {
        Rejection(.invalid, description, at: JSONPointer([field]), allowed: allowed)
    }

    /// What was given could not be read.
    @usableFromInline
    package init(_ error: JSONError) {
        self.init(
            error.reason.isSyntax ? .malformed : .invalid, "\(error.reason)",
            at: error.pointer.tokens.isEmpty ? nil : error.pointer)
    }
}
