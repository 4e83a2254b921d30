import ScriptedOutside
import StateStore
import Systems
import Testing

/// The orders: systems.md, 3.
struct OrderTests {
    /// Creates a shop with an open checkout.
    private func open(
        _ journal: MemoryJournal = MemoryJournal(), _ configuration: SystemsConfiguration = SystemsConfiguration()
    ) throws -> Shop {
        let shop = try Shop(journal, configuration)
        shop.post("luthier/select", #"{"color": "sky"}"#)
        shop.post("luthier/checkout")
        shop.advance(.seconds(1))
        return shop
    }

    private func openRemote(_ journal: MemoryJournal = MemoryJournal()) throws -> Shop {
        let shop = try remote(journal)
        shop.post("luthier/checkout")
        shop.answer("availability", #"{"isAvailable": true}"#)
        shop.answer("build-estimate", #"{"buildEstimate": "3 weeks"}"#)
        shop.answer("shipping-options", #"{"shippingOptions": [{"name": "Ship", "time": "1 year", "price": 100}]}"#)
        return shop
    }

    private func remote(_ journal: MemoryJournal) throws -> Shop {
        var configuration = SystemsConfiguration()
        configuration.workshop = "http://workshop.test"
        return try Shop(journal, configuration)
    }

    /// Returns the idempotency keys of the orders sent so far.
    private func numbers(_ shop: Shop) -> [String] {
        shop.fetcher.requests.filter { $0.method == "POST" }.map { request in
            request.fields.first { $0.name == "Idempotency-Key" }?.value ?? "none"
        }
    }

    @Test func `an order needs an open checkout`() throws {
        let shop = try Shop()
        #expect(shop.post("luthier/order").summary == "conflict -: no checkout is open: check out first")
        shop.post("luthier/checkout")
        #expect(shop.post("luthier/order").summary == "conflict -: no checkout is open: check out first")
    }

    @Test func `an order is refused while the currency changes`() throws {
        let shop = try open()
        shop.post("luthier/setCurrency", #"{"currency": "eur"}"#)
        #expect(shop.post("luthier/order").summary == "conflict -: the currency is being changed: wait for its rate")
        shop.advance(.seconds(1))
        shop.post("luthier/order")
        shop.advance(.seconds(1))
        #expect(shop.get("luthier.order").contains(#""total":1935,"formattedTotal":"€1,935.00","currency":"eur"}"#))
    }

    @Test func `two simultaneous order actions place one order`() throws {
        let shop = try open()
        shop.post("luthier/selectShipping", #"{"name": "Ground"}"#)
        #expect(shop.post("luthier/order").summary.hasSuffix("luthier.orderUnderWay"))
        #expect(shop.post("luthier/order").summary == "conflict -: the order is being placed")
        #expect(shop.get("luthier.isOrdering") == "true" && shop.get("luthier.didOrder") == "false")
        shop.advance(.seconds(1))
        #expect(shop.get("luthier.isOrdering") == "false" && shop.get("luthier.didOrder") == "true")
        let receipt = shop.get("luthier.order")
        #expect(receipt.contains(#""shipping":"Ground","total":2250,"formattedTotal":"$2,250.00","currency":"usd"}"#))
        #expect(shop.post("luthier/order").summary.hasPrefix("conflict -: the order was placed as "))
        shop.post("luthier/dismiss")
        #expect(shop.get("luthier.order") == receipt && shop.get("luthier.checkout") == "null")
        shop.post("luthier/checkout")
        #expect(shop.get("luthier.order") == "null")
    }

    @Test func `an order keeps its number, also across a restart`() throws {
        let journal = MemoryJournal()
        let before = try openRemote(journal)
        before.post("luthier/order")
        #expect(before.fetcher.underWay == ["http://workshop.test/orders"])
        let after = try remote(journal)
        #expect(after.fetcher.underWay == ["http://workshop.test/orders"])
        #expect(numbers(after) == numbers(before) && numbers(after)[0].count > 8)
        after.answer("orders", status: 201)
        #expect(after.get("luthier.didOrder") == "true" && after.get("luthier.order").contains(numbers(before)[0]))
        #expect(try remote(journal).fetcher.asked.isEmpty)
    }

    @Test func `an order without a response fails visibly, and ordering again sends the same order`() throws {
        let shop = try openRemote()
        shop.post("luthier/order")
        for _ in 0..<3 {
            shop.answer("orders", failing: true)
            shop.advance(.seconds(2))
        }
        #expect(
            shop.get("luthier.isOrdering") == "false" && shop.get("luthier.orderError") == "\"the connection ended\"")
        #expect(
            shop.post("luthier/selectShipping", #"{"name": "Ship"}"#).summary.hasPrefix(
                "conflict -: an order with this shipping was or may have been placed"))
        shop.post("luthier/order")
        #expect(shop.get("luthier.orderError") == "null")
        shop.answer("orders")
        #expect(Set(numbers(shop)).count == 1 && numbers(shop).count == 4)
        #expect(shop.get("luthier.didOrder") == "true")
    }
}
