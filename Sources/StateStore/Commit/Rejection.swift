public import JSON

/// The reason that an action rejects a call, written for the caller. A rejected action has changed nothing.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of rejection.
    public enum Kind: Hashable, Sendable {
        /// The input is not JSON.
        case malformed
        /// The input lacks a field, or a field is unknown, of the wrong type or out of range.
        case invalid
        /// The input is valid, but the state does not permit the action.
        case conflict
        /// The caller may not perform the action.
        case forbidden
    }

    /// The kind of rejection.
    public let kind: Kind
    /// The fault.
    public let description: String
    /// The position of the fault in the input.
    public let pointer: JSONPointer?
    /// The permitted values, if they can be listed.
    public let allowed: [String]
    /// Further faults.
    public let others: [Detail]
    /// The rule that refused, for the log only; nil for a rejection that no rule made, or before its place is known.
    package private(set) var rule: String?
    /// The part of the feature that refused, for administrators; nil if it is not known.
    package private(set) var cause: RejectionCause?

    /// One of several faults.
    public struct Detail: Hashable, Sendable {
        /// The fault.
        public let description: String
        /// The position of the fault in the input.
        public let pointer: JSONPointer?
        /// The permitted values, if they can be listed.
        public let allowed: [String]

        /// One of several faults.
        public init(_ description: String, at pointer: JSONPointer?, allowed: [String] = []) {
            self.description = description
            self.pointer = pointer
            self.allowed = allowed
        }
    }

    /// A rejection.
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

    /// A rejection because the state does not permit the action.
    public static func conflict(_ description: String, at field: String? = nil, allowed: [String] = []) -> Rejection {
        Rejection(.conflict, description, at: field.map { JSONPointer([$0]) }, allowed: allowed)
    }

    /// A rejection of a field of the input.
    public static func invalid(_ description: String, at field: String, allowed: [String] = []) -> Rejection {
        Rejection(.invalid, description, at: JSONPointer([field]), allowed: allowed)
    }

    /// A rejection of input that could not be read.
    @usableFromInline
    package init(_ error: JSONError) {
        self.init(
            error.reason.isSyntax ? .malformed : .invalid, "\(error.reason)",
            at: error.pointer.tokens.isEmpty ? nil : error.pointer)
    }
}

extension Rejection {
    /// The rejection of a caller whom a rule of the action, or of its feature, does not allow.
    package static let forbidden = Rejection(.forbidden, "the rules of this action do not allow it to you")

    /// The same, by the rule of an action that does not know its name.
    @usableFromInline
    static let forbiddenByAction = forbidden(by: "")

    /// True if the rule of an action refused that does not know its name.
    var isByNamelessAction: Bool { rule == "" }

    /// Returns `forbidden` with the place of the rule: `feature#pointer` of a document, `feature` or `feature/action` of
    /// a feature in Swift.
    package static func forbidden(by rule: String) -> Rejection {
        var rejection = forbidden
        rejection.rule = rule
        rejection.cause = RejectionCause(.rule, at: rule)
        return rejection
    }

    /// Returns the rejection with the part of the feature that refused.
    package func caused(by cause: RejectionCause?) -> Rejection {
        var rejection = self
        rejection.cause = cause ?? rejection.cause
        return rejection
    }

    /// Returns the rejection with the work until it.
    package func after(steps: Int, rows: Int) -> Rejection {
        var rejection = self
        rejection.cause?.steps = steps
        rejection.cause?.rows = rows
        return rejection
    }

    /// The members of a problem that say what was rejected.
    package var problem: JSON.Object {
        let status: Int64 =
            switch kind {
            case .malformed: 400
            case .invalid: 422
            case .conflict: 409
            case .forbidden: 403
            }
        var problem = JSON.Object()
        problem["status"] = .number(Decimal(status))
        problem["detail"] = .string(description)
        if let pointer { problem["pointer"] = .string("\(pointer)") }
        return problem
    }
}
