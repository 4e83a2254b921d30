package import JSON

/// The failure of a stream.
package struct StreamFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason.
    package let description: String
    /// The value at which the stream failed, if there was one.
    package let value: JSON?
    /// The id of the stream whose operator failed, if it has one.
    package let stream: String?
    /// The place of the operator, or of its expression, in that stream's document.
    package let pointer: JSONPointer?

    package init(_ description: String, value: JSON? = nil, at pointer: JSONPointer? = nil, of stream: String? = nil) {
        self.description = description
        self.value = value
        self.stream = stream
        self.pointer = pointer
    }

    /// A failure for any error.
    init(_ error: any Error) {
        self = error as? StreamFailure ?? StreamFailure("\(error)")
    }

    /// The failure as a problem (RFC 9457) with the value, the stream and the operator.
    package var problem: JSON {
        var problem = JSON.Object()
        problem["type"] = "/problems/stream-failed"
        problem["title"] = "The stream failed"
        problem["status"] = 422
        problem["detail"] = .string(description)
        problem["stream"] = stream.map { .string($0) }
        problem["pointer"] = pointer.map { .string($0.description) }
        problem["value"] = value
        return .object(problem)
    }
}
