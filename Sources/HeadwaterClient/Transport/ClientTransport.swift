/// The way to a server. It decides nothing: no retries, no order, no meaning.
public protocol ClientTransport: Sendable {
    /// Starts a request. `deliver` gets the pieces of the answer in order, on any thread, and one `end` at last. The result
    /// cancels the request; `deliver` can be called until then.
    func start(_ request: WireRequest, _ deliver: @escaping @Sendable (WireEvent) -> Void) -> any Cancellable
}

/// Something under way that can be cancelled.
public protocol Cancellable: Sendable {
    /// Cancels it.
    func cancel()
}
