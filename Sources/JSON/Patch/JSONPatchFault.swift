/// The reason why a patch does not apply, and the operation that failed.
package struct JSONPatchFault: Error, Hashable, Sendable {
    /// The reason why an operation failed.
    package enum Reason: Hashable, Sendable {
        /// No value exists at the path.
        case missing
        /// The position is beyond the end of the array.
        case indexOutOfRange
        /// The token is not a position of an array: not digits, a leading zero, or `-` for an existing element.
        case invalidIndex
        /// The value at the path differs from the expected value.
        case testFailed
        /// The whole document cannot be removed.
        case rootRemoved
        /// A value cannot move into itself.
        case intoOwnChild
        /// Arrays and objects would nest deeper than the limit.
        case tooDeep(limit: Int)
        /// The copies and moves of the patch touch more values than the limit.
        case tooLarge(limit: Int)
    }

    /// The reason.
    package let reason: Reason
    /// The path of the operation that failed, or its `from` if that is at fault.
    package let path: JSONPointer
    /// The position of the operation in the patch.
    package internal(set) var operation = 0
}

extension JSONPatchFault: CustomStringConvertible {
    /// The operation, its path and the reason in English.
    package var description: String { "operation \(operation), path \"\(path)\": \(reason)" }
}

extension JSONPatchFault.Reason: CustomStringConvertible {
    /// The reason in English.
    package var description: String {
        switch self {
        case .missing: "no value exists there"
        case .indexOutOfRange: "the array has fewer elements"
        case .invalidIndex: "a position in an array is 0, or digits without a leading zero; \"-\" is only for adding"
        case .testFailed: "the value differs from the expected value"
        case .rootRemoved: "the whole document cannot be removed"
        case .intoOwnChild: "a value cannot move into itself"
        case .tooDeep(let limit): "arrays and objects would nest more than \(limit) deep"
        case .tooLarge(let limit): "the patch copies more than \(limit) values"
        }
    }
}
