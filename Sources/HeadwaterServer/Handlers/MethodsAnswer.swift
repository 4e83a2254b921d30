import HTTP

/// The answer to OPTIONS.
enum MethodsAnswer {
    /// Answers with the methods of a resource and, to a browser's preflight, with what its page may send.
    static func send(_ methods: [String], to request: borrowing Request, _ responder: Responder) {
        let methods = methods.joined(separator: ", ")
        let isPreflight = request.has(.accessControlRequestMethod)
        responder.answerNothing { writer in
            writer.field("Allow", methods)
            guard isPreflight else { return }
            writer.field("Access-Control-Allow-Methods", methods)
            writer.field(
                "Access-Control-Allow-Headers",
                "A-IM, Accept, Authorization, Content-Type, Headwater-Document, Headwater-Queue, Headwater-Time, "
                    + "Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, "
                    + "Mcp-Session-Id, Prefer, Traceparent, Tracestate, X-Request-Id"
            )
            writer.field("Access-Control-Max-Age", 600)
        }
    }
}
