import ScriptedOutside
import StateStore
import Systems
import Testing

/// The checkout: systems.md, 3.
struct CheckoutTests {
    private static let services = ["availability", "build-estimate", "shipping-options"]

    /// Creates a shop with a workshop on the network.
    private func remote(_ journal: MemoryJournal = MemoryJournal()) throws -> Shop {
        var configuration = SystemsConfiguration()
        configuration.workshop = "http://workshop.test"
        return try Shop(journal, configuration)
    }

    @Test func `a checkout opens once all three services have answered`() throws {
        let shop = try remote()
        let watches = [
            shop.watch(["luthier.isLoadingCheckout", "luthier.checkout"]), shop.watch(["luthier.isLoadingCheckout"]),
        ]
        shop.post("luthier/select", #"{"color": "sky"}"#)
        #expect(shop.post("luthier/checkout").summary == "2 luthier.checkoutUnderWay")
        #expect(
            shop.fetcher.underWay
                == Self.services.map {
                    "http://workshop.test/\($0)?shape=casual&color=sky&body=mahogany&fretboard=rosewood"
                })
        #expect(shop.get("luthier.isLoadingCheckout") == "true")
        shop.answer(
            "shipping-options", #"{"shippingOptions": [{"name": "Ship", "time": "1 year", "price": 12.5}], "more": 1}"#)
        shop.answer("availability", #"{"isAvailable": true}"#)
        #expect(shop.get("luthier.checkout") == "null")
        shop.answer("build-estimate", #"{"buildEstimate": "3 weeks"}"#)
        #expect(shop.get("luthier.isLoadingCheckout") == "false")
        #expect(
            shop.get("luthier.checkout").contains(
                #""shippingOptions":[{"name":"Ship","time":"1 year","price":12.5}],"buildEstimate":"3 weeks","isAvailable":true}"#
            ))
        #expect(shop.get("luthier.shipping") == "\"Ship\"")
        #expect(shop.get("luthier.totalPrice") == "\"$2,162.50\"")
        // Each service received one request, for any number of watchers.
        #expect(shop.fetcher.asked.count == 3)
        #expect(
            watches[1].events == [
                "luthier.isLoadingCheckout=false", "luthier.isLoadingCheckout=true", "luthier.isLoadingCheckout=false",
            ])
    }

    @Test func `a second checkout is refused while one is in progress or open`() throws {
        let shop = try Shop()
        shop.post("luthier/checkout")
        #expect(
            shop.post("luthier/checkout").summary == "conflict -: a checkout is in progress: wait for it, or dismiss it"
        )
        shop.advance(.seconds(1))
        #expect(shop.get("luthier.checkout") != "null")
        #expect(shop.post("luthier/checkout").summary == "conflict -: a checkout is open: dismiss it first")
    }

    @Test func `the built-in workshop gives the same answers for the same guitar`() throws {
        let shop = try Shop()
        shop.post("luthier/select", #"{"shape": "longV", "color": "sky"}"#)
        shop.post("luthier/checkout")
        shop.advance(.milliseconds(399))
        #expect(shop.get("luthier.checkout") == "null")
        shop.advance(.milliseconds(1))
        let checkout = shop.get("luthier.checkout")
        #expect(checkout.contains(#""buildEstimate":"9 weeks","isAvailable":true"#))
        #expect(
            checkout.contains(
                #"{"name":"Pickup","time":"As soon as ready","price":0},{"name":"Ground","time":"2-6 weeks","price":100}"#
            ))
        #expect(shop.get("luthier.shippingPrices") == #"{"Express":"$250.00","Ground":"$100.00","Pickup":"Free"}"#)
        shop.post("luthier/dismiss")
        shop.post("luthier/select", #"{"body": "blackLimba", "fretboard": "blackLimba"}"#)
        shop.post("luthier/checkout")
        shop.advance(.seconds(1))
        #expect(shop.get("luthier.checkout").contains(#""isAvailable":false"#))
        #expect(shop.post("luthier/order").summary.hasPrefix("conflict -: this guitar cannot be built now"))
    }

    @Test func `a failing service is tried three times, then the checkout ends visibly`() throws {
        let shop = try remote()
        shop.post("luthier/checkout")
        shop.answer("build-estimate", #"{"buildEstimate": "3 weeks"}"#)
        shop.answer("shipping-options", #"{"shippingOptions": [{"name": "Ship", "time": "1 year", "price": 0}]}"#)
        shop.answer("availability", failing: true)
        #expect(shop.fetcher.underWay.isEmpty)
        shop.advance(.milliseconds(499))
        #expect(shop.fetcher.underWay.isEmpty)
        shop.advance(.milliseconds(1))
        shop.answer("availability", "gone", status: 500)
        shop.advance(.seconds(2))
        #expect(shop.get("luthier.isLoadingCheckout") == "true")
        shop.answer("availability", "<html>")
        #expect(shop.fetcher.asked.count == 5)
        #expect(shop.get("luthier.isLoadingCheckout") == "false" && shop.get("luthier.checkout") == "null")
        #expect(
            shop.get("luthier.checkoutError").hasPrefix("\"the workshop's availability answered with malformed JSON"))
        // The checkout can be tried again, which clears the error.
        shop.post("luthier/checkout")
        #expect(shop.get("luthier.checkoutError") == "null" && shop.fetcher.underWay.count == 3)
    }

    @Test func `a service that exceeds ten seconds three times ends the checkout visibly`() throws {
        let shop = try remote()
        shop.post("luthier/checkout")
        shop.advance(.seconds(10))
        #expect(shop.fetcher.cancelled.count == 3)
        shop.advance(.milliseconds(500) + .seconds(10) + .seconds(2) + .seconds(10) - .milliseconds(1))
        #expect(shop.get("luthier.isLoadingCheckout") == "true")
        shop.advance(.milliseconds(1))
        #expect(shop.get("luthier.checkoutError") == "\"there was no answer within 10 seconds\"")
        #expect(shop.fetcher.underWay.isEmpty)
    }

    @Test(arguments: [
        #"{"shippingOptions": []}"#, #"{"shippingOptions": [{"name": "Ship", "time": "1 year", "price": -1}]}"#,
        #"{"shippingOptions": 1}"#,
        "[]",
        #"{"shippingOptions": [{"name": "Ship", "time": "1 year"}]}"#,
    ])
    func `a malformed answer ends the checkout visibly`(_ answer: String) throws {
        let shop = try remote()
        shop.post("luthier/checkout")
        shop.answer("build-estimate", #"{"buildEstimate": "3 weeks"}"#)
        shop.answer("availability", #"{"isAvailable": true}"#)
        for _ in 0..<3 {
            shop.answer("shipping-options", answer)
            shop.advance(.seconds(2))
        }
        #expect(shop.get("luthier.isLoadingCheckout") == "false" && shop.get("luthier.checkoutError") != "null")
    }

    @Test func `dismissing a checkout cancels its requests, and late answers never show`() throws {
        let shop = try remote()
        shop.post("luthier/select", #"{"color": "sky"}"#)
        shop.post("luthier/checkout")
        shop.post("luthier/dismiss")
        shop.advance(.zero)
        #expect(shop.fetcher.cancelled.count == 3 && shop.get("luthier.isLoadingCheckout") == "false")
        #expect(shop.get("luthier.guitar").contains("Natural"))
    }

    @Test func `a restart completes a pending checkout, with the guitar of its request`() throws {
        let journal = MemoryJournal()
        let before = try remote(journal)
        before.post("luthier/select", #"{"color": "sky"}"#)
        before.post("luthier/checkout")
        before.post("luthier/select", #"{"color": "earth"}"#)
        before.answer("availability", #"{"isAvailable": true}"#)

        let after = try remote(journal)
        #expect(after.fetcher.underWay.count == 3 && after.fetcher.underWay.allSatisfy { $0.contains("color=sky") })
        after.answer("availability", #"{"isAvailable": true}"#)
        after.answer("build-estimate", #"{"buildEstimate": "3 weeks"}"#)
        after.answer("shipping-options", #"{"shippingOptions": [{"name": "Ship", "time": "1 year", "price": 0}]}"#)
        #expect(after.get("luthier.checkout").contains("Sky Casual"))
        #expect(after.get("luthier.guitar").contains("Earth Casual"))
        // No effect is pending.
        #expect(try remote(journal).fetcher.asked.isEmpty)
    }

    @Test func `prices follow the guitar of the open checkout, and the total includes shipping`() throws {
        let shop = try Shop()
        shop.post("luthier/select", #"{"color": "sky", "body": "koa", "fretboard": "ebony"}"#)
        #expect(shop.get("luthier.totalPrice") == "\"$2,350.00\"" && shop.get("luthier.shippingPrice") == "\"Free\"")
        shop.post("luthier/checkout")
        shop.advance(.seconds(1))
        shop.post("luthier/clear")
        let watch = shop.watch(["luthier.totalPrice"])
        #expect(watch.events == ["luthier.totalPrice=\"$2,350.00\""])
        shop.post("luthier/selectShipping", #"{"name": "Express"}"#)
        #expect(watch.events.last == "luthier.totalPrice=\"$2,600.00\"")
        #expect(
            shop.get("luthier.shippingPrice") == "\"$250.00\"" && shop.get("luthier.additionsPrice") == "\"$350.00\"")
        #expect(
            shop.post("luthier/selectShipping", #"{"name": "Balloon"}"#).summary
                == "conflict /name: there is no shipping option Balloon")
        shop.post("luthier/dismiss")
        #expect(shop.get("luthier.totalPrice") == "\"$2,000.00\"")
        #expect(
            shop.post("luthier/selectShipping", #"{"name": "Express"}"#).summary
                == "conflict -: no checkout is open: check out first")
    }
}
