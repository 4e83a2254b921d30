/// The owner of a server's requests. Each loop has one, and calls it on its own thread only.
package protocol Handler: AnyObject {
    /// Answers a request through the exchange, now or later, or returns the loop that the request belongs to.
    func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition
    /// Answers bytes that are not a valid request. The connection closes afterwards.
    func refuse(_ fault: MessageFault, _ exchange: Exchange)
}

/// The decision on a request.
package enum Disposition {
    /// The handler answers the request, now or later.
    case here
    /// Another loop answers the request: it goes there with its connection.
    case elsewhere(Int)
    /// The request cannot be decided yet. It is handled again, with the bytes after it, at the end of a wait.
    case later(RequestWait)
}

/// A wait for something that a request needs. It calls its argument once, on any thread, with its outcome: the exchange of
/// the request that is handled again has it as `waitOutcome`.
package typealias RequestWait = (_ end: @escaping @Sendable (_ outcome: Bool?) -> Void) -> Void
