/// The owner of a server's requests. Each loop has one, and calls it on its own thread only.
package protocol Handler: AnyObject {
    /// Answers a request through the exchange, now or later, or returns the loop that the request belongs to.
    func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition
    /// Calls `resume` once, on any thread, when the request that was to be handled later can be handled. Returns the
    /// number of that request for `resuming`.
    func whenReady(_ resume: @escaping @Sendable () -> Void) -> Int
    /// Runs `body`, which handles the request of a number again.
    func resuming(_ number: Int, _ body: () -> Void)
    /// Answers bytes that are not a valid request. The connection closes afterwards.
    func refuse(_ fault: MessageFault, _ exchange: Exchange)
}

/// The decision on a request.
package enum Disposition: Sendable {
    /// The handler answers the request, now or later.
    case here
    /// Another loop answers the request: it goes there with its connection.
    case elsewhere(Int)
    /// The request cannot be decided yet. It is handled again, with the bytes after it, when `whenReady` says so.
    case later
}

extension Handler {
    /// A handler that decides each request at once.
    package func whenReady(_ resume: @escaping @Sendable () -> Void) -> Int {
        resume()
        return 0
    }

    /// Runs `body`.
    package func resuming(_ number: Int, _ body: () -> Void) { body() }
}
