import JSON
import Reactive

/// A built-in workshop that works without a network. Its answers depend only on the guitar, and arrive after `latency`.
struct BuiltInWorkshop: Workshop {
    let latency: Duration
    let clock: any Scheduler

    func isAvailable(_ guitar: Guitar) -> Observable<Bool> {
        // The stock of black limba suffices for one part only.
        answer(guitar.body != .blackLimba || guitar.fretboard != .blackLimba)
    }

    func buildEstimate(_ guitar: Guitar) -> Observable<String> {
        let shaping = guitar.shape == .longV || guitar.shape == .sharpV ? 2 : 0
        let painting = guitar.color == .natural ? 0 : 1
        return answer("\(6 + shaping + painting) weeks")
    }

    func shippingOptions(_ guitar: Guitar) -> Observable<[ShippingOption]> {
        answer([
            ShippingOption(name: "Pickup", time: "As soon as ready", price: 0),
            ShippingOption(name: "Ground", time: "2-6 weeks", price: 100),
            ShippingOption(name: "Express", time: "1 week", price: 250),
        ])
    }

    func place(_ order: GuitarOrder) -> Observable<String> {
        answer(order.number)
    }

    private func answer<Value>(_ value: Value) -> Observable<Value> {
        Observable<Int>.timer(latency, on: clock).map { _ in value }
    }
}
