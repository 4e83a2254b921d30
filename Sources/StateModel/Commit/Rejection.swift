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

    /// The rows that a unique index refused; nil for another rejection.
    package private(set) var notUnique: RepeatedGroup?

    /// Returns true if the rejections tell their callers the same. Their causes are for administrators.
    public static func == (one: Rejection, other: Rejection) -> Bool {
        one.kind == other.kind && one.description == other.description && one.pointer == other.pointer
            && one.allowed == other.allowed && one.others == other.others && one.rule == other.rule
            && one.notUnique == other.notUnique
    }

    /// Hashes the kind and the fault.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(description)
    }

    /// Two rows of one group of a unique index.
    package struct RepeatedGroup: Hashable, Sendable {
        /// The name of the index.
        package let index: String
        /// The key of the row that was written.
        package let key: String
        /// The key of the row that was there.
        package let other: String
        /// True if each caller may know that row. Otherwise only an administrator may.
        package let isOpen: Bool

        package init(index: String, key: String, other: String, isOpen: Bool) {
            (self.index, self.key, self.other, self.isOpen) = (index, key, other, isOpen)
        }
    }

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

    /// The rejection of an action that would leave two rows in one group of a unique index.
    package static func notUnique(_ rows: RepeatedGroup) -> Rejection {
        let beside = rows.isOpen ? " beside the row \"\(rows.other.prefix(64))\"" : ""
        var rejection = Rejection(
            .conflict,
            "the row \"\(rows.key.prefix(64))\" would be a second one in its group of the unique index \(rows.index)\(beside)"
        )
        rejection.notUnique = rows
        return rejection
    }

    /// Returns the rejection with its pointers below a place; without a pointer it points to `whole`.
    func moved(below place: [String], whole: [String]) -> Rejection {
        var moved = Rejection(
            kind, description, at: JSONPointer(pointer.map { place + $0.tokens } ?? whole), allowed: allowed,
            others: others.map {
                Detail(
                    $0.description, at: JSONPointer($0.pointer.map { place + $0.tokens } ?? whole), allowed: $0.allowed)
            })
        (moved.rule, moved.cause, moved.notUnique) = (rule, cause, notUnique)
        return moved
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
        if let notUnique { for member in notUnique.members() { problem[member.key] = member.value } }
        if let pointer { problem["pointer"] = .string("\(pointer)") }
        return problem
    }
}

extension Rejection.RepeatedGroup {
    /// The members of a problem that name the rows; of the other one only if the caller may know it.
    package func members(forAdministrator isAdministrator: Bool = false) -> JSON.Object {
        var members = JSON.Object()
        members["index"] = .string(index)
        members["key"] = .string(key)
        if isOpen || isAdministrator { members["other"] = .string(other) }
        return members
    }
}
