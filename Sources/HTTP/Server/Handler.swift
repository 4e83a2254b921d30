/// What answers requests. There is one a loop, and it is used on that loop only.
public protocol Handler: AnyObject {
    /// Answers a request, now or later, through the exchange; or says which loop it belongs to.
    func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition
    /// Says that bytes are no request; the connection is closed afterwards.
    func refuse(_ refusal: MessageFault, _ exchange: Exchange)
    /// A request that was to wait has waited for as long as it would.
    func waited(_ exchange: Exchange)
    /// A request was answered.
    func answered(_ connection: Connection, _ status: Status)
    /// The other side has gone before it was answered.
    func abandoned(_ exchange: Exchange)
}

/// What becomes of a request.
public enum Disposition: Sendable {
    /// It is answered here, now or later.
    case here
    /// It belongs to another loop, and goes there with its connection.
    case elsewhere(Int)
}
