import Reactive

/// What a luthier asks of the outside: three services about a guitar, and one that takes orders. Each answers once, and is asked anew at each start.
protocol Workshop {
    /// Whether the guitar can be built just now.
    func isAvailable(_ guitar: Guitar) -> Observable<Bool>
    /// How long it will take to build it, in words.
    func buildEstimate(_ guitar: Guitar) -> Observable<String>
    /// The ways to send it.
    func shippingOptions(_ guitar: Guitar) -> Observable<[ShippingOption]>
    /// Places an order; under a number that it has, it is the order that it has.
    func place(_ order: Order) -> Observable<String>
}
