import JSON
import StateStore

/// A checkout in progress: the guitar at the time of the request, and a number that matches the response to the
/// request.
struct CheckoutRequest: Record {
    var number = 0
    var guitar = Guitar()

    static let shape = Shape(CheckoutRequest()) {
        $0.required("number", \.number)
        $0.required("guitar", \.guitar)
    }
}

/// An open checkout: a guitar with the answers of the three services.
struct Checkout: Record {
    var number = 0
    var guitar = Guitar()
    var shippingOptions: [ShippingOption] = []
    var buildEstimate = ""
    var isAvailable = false

    static let shape = Shape(Checkout()) {
        $0.required("number", \.number)
        $0.required("guitar", \.guitar)
        $0.required("shippingOptions", \.shippingOptions, .some)
        $0.required("buildEstimate", \.buildEstimate, .line(1...100))
        $0.required("isAvailable", \.isAvailable)
    }
}

/// A checkout in the view.
struct CheckoutSummary: Record {
    var guitar = GuitarSummary()
    var shippingOptions: [ShippingOption] = []
    var buildEstimate = ""
    var isAvailable = false

    static let shape = Shape(CheckoutSummary()) {
        $0.required("guitar", \.guitar)
        $0.required("shippingOptions", \.shippingOptions)
        $0.required("buildEstimate", \.buildEstimate)
        $0.required("isAvailable", \.isAvailable)
    }
}

extension CheckoutSummary {
    init(_ checkout: Checkout, in money: ExchangeCurrency) throws {
        guitar = try GuitarSummary(checkout.guitar, in: money)
        shippingOptions = checkout.shippingOptions
        buildEstimate = checkout.buildEstimate
        isAvailable = checkout.isAvailable
    }
}

/// A way to ship a guitar.
struct ShippingOption: Record {
    var name = ""
    var time = ""
    /// The price in US dollars.
    var price: Decimal = 0

    static let shape = Shape(ShippingOption()) {
        $0.required("name", \.name, .line(1...100))
        $0.required("time", \.time, .line(1...100))
        $0.required("price", \.price, .money)
    }
}

extension Constraint where Value == [ShippingOption] {
    /// Accepts 1 to 50 shipping options.
    static var some: Constraint {
        Constraint("must be 1 to 50 shipping options", keywords: [("minItems", 1), ("maxItems", 50)]) {
            (1...50).contains($0.count) ? $0 : nil
        }
    }
}
