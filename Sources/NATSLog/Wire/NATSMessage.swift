import CNATS

/// One message that a subscription received. It is valid within the call that hands it over.
struct NATSMessage {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) {
        self.message = message
    }

    /// The subject that the message was sent to.
    var subject: String { String(cString: hw_nats_subject(message)) }

    /// The subject for the answer; nil if no answer is expected.
    var reply: String? { hw_nats_reply(message).map { String(cString: $0) } }

    /// A copy of the payload.
    var bytes: [UInt8] {
        Array(UnsafeBufferPointer(start: hw_nats_bytes(message), count: hw_nats_count(message)))
    }

    /// True if the server says that nobody serves the subject of a request.
    var isNobody: Bool { hw_nats_is_nobody(message) }

    /// The value of a header field, or nil.
    func field(_ name: String) -> String? {
        hw_nats_field(message, name).map { String(cString: $0) }
    }
}
