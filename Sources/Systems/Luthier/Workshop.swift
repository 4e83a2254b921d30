import Reactive

/// The external services of the luthier: three that answer about a guitar, and one that takes orders. Each observable
/// sends a new request per subscription and emits one answer.
protocol Workshop {
    /// Emits true if the guitar can be built now.
    func isAvailable(_ guitar: Guitar) -> Observable<Bool>
    /// Emits the build time in words.
    func buildEstimate(_ guitar: Guitar) -> Observable<String>
    /// Emits the shipping options.
    func shippingOptions(_ guitar: Guitar) -> Observable<[ShippingOption]>
    /// Places an order; a repeated number is the same order.
    func place(_ order: GuitarOrder) -> Observable<String>
}
