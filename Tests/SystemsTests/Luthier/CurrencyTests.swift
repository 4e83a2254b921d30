import ScriptedOutside
import StateStore
import Systems
import Testing

/// The currencies: systems.md, 3.
struct CurrencyTests {
    private func remote(_ journal: MemoryJournal = MemoryJournal()) throws -> Shop {
        var configuration = SystemsConfiguration()
        configuration.rates = "http://rates.test/latest"
        return try Shop(journal, configuration)
    }

    private func set(_ currency: String, in shop: Shop, space: String = "main") {
        shop.post("luthier/setCurrency", "{\"currency\": \"\(currency)\"}", in: space)
    }

    @Test(arguments: [("usd", "$2,350.00"), ("eur", "€2,115.00"), ("gbp", "£1,880.00"), ("ils", "₪8,695.00")])
    func `prices are shown in each currency`(_ currency: String, _ price: String) throws {
        let shop = try Shop()
        shop.post("luthier/select", #"{"color": "sky", "body": "koa", "fretboard": "ebony"}"#)
        set(currency, in: shop)
        shop.advance(.seconds(1))
        #expect(shop.get("luthier.totalPrice") == "\"\(price)\"")
        #expect(shop.get("luthier.guitar").contains("\"formattedPrice\":\"\(price)\""))
        #expect(shop.get("luthier.isUpdatingCurrency") == "false" && shop.get("luthier.currency") == "\"\(currency)\"")
    }

    @Test func `rapid currency changes collapse into the last, half a second after it`() throws {
        let shop = try remote()
        let watch = shop.watch(["luthier.currency"])
        for currency in ["eur", "gbp", "ils", "eur", "gbp"] {
            set(currency, in: shop)
            shop.advance(.milliseconds(400))
        }
        #expect(shop.get("luthier.isUpdatingCurrency") == "true" && shop.fetcher.asked.isEmpty)
        shop.advance(.milliseconds(100))
        #expect(shop.fetcher.underWay == ["http://rates.test/latest"])
        shop.answer("latest", #"{"rates": {"EUR": 0.5, "GBP": 0.25, "XYZ": 3}}"#)
        #expect(watch.events == ["luthier.currency=\"usd\"", "luthier.currency=\"gbp\""])
        #expect(shop.get("luthier.basePrice") == "\"£500.00\"")
    }

    @Test func `selecting the current currency changes nothing, and dollars need no rate`() throws {
        let shop = try remote()
        #expect(shop.post("luthier/setCurrency", #"{"currency": "usd"}"#).summary == "0 ")
        set("eur", in: shop)
        set("usd", in: shop)
        shop.advance(.seconds(1))
        #expect(shop.get("luthier.isUpdatingCurrency") == "false" && shop.fetcher.asked.isEmpty)
    }

    @Test func `an answer for a currency that is no longer selected never shows`() throws {
        let shop = try remote()
        let watch = shop.watch(["luthier.currency", "luthier.basePrice"])
        set("eur", in: shop)
        shop.advance(.milliseconds(500))
        set("usd", in: shop)
        shop.answer("latest", #"{"rates": {"EUR": 0.5}}"#)
        #expect(shop.get("luthier.isUpdatingCurrency") == "true")
        shop.advance(.seconds(1))
        #expect(watch.events == [#"luthier.currency="usd" luthier.basePrice="$2,000.00""#])
        #expect(shop.get("luthier.isUpdatingCurrency") == "false")
    }

    @Test func `a missing rate falls back to dollars visibly, and can be tried again`() throws {
        let shop = try remote()
        set("eur", in: shop)
        for _ in 0..<3 {
            shop.advance(.seconds(2))
            shop.answer("latest", "no", status: 503)
        }
        #expect(shop.get("luthier.currency") == "\"usd\"" && shop.get("luthier.isUpdatingCurrency") == "false")
        #expect(shop.get("luthier.currencyError") == "\"the source of rates answered 503\"")
        set("eur", in: shop)
        #expect(shop.get("luthier.currencyError") == "null")
        shop.advance(.milliseconds(500))
        shop.answer("latest", #"{"rates": {"GBP": 0.25}}"#)
        #expect(shop.get("luthier.currencyError") == "\"there is no rate for EUR\"")
        set("gbp", in: shop)
        shop.advance(.milliseconds(500))
        #expect(shop.get("luthier.basePrice") == "\"£500.00\"")
    }

    @Test func `rates are fetched once for all spaces, and again after an hour`() throws {
        let shop = try remote()
        for space in ["a", "b", "c"] { set("eur", in: shop, space: space) }
        shop.advance(.milliseconds(500))
        #expect(shop.fetcher.asked.count == 1)
        shop.answer("latest", #"{"rates": {"EUR": 0.5}}"#)
        for space in ["a", "b", "c"] { #expect(shop.get("luthier.basePrice", in: space) == "\"€1,000.00\"") }
        shop.advance(.seconds(3_000))
        set("eur", in: shop, space: "d")
        shop.advance(.milliseconds(500))
        #expect(shop.fetcher.asked.count == 1)
        shop.advance(.seconds(600))
        set("eur", in: shop, space: "e")
        shop.advance(.milliseconds(500))
        #expect(shop.fetcher.asked.count == 2)
        // If a new request fails, the last known rates apply.
        for _ in 0..<3 {
            shop.answer("latest", failing: true)
            shop.advance(.seconds(2))
        }
        #expect(shop.get("luthier.basePrice", in: "e") == "\"€1,000.00\"")
    }

    @Test func `a restart completes a pending currency change`() throws {
        let journal = MemoryJournal()
        let before = try remote(journal)
        set("eur", in: before)
        before.advance(.milliseconds(600))
        #expect(before.fetcher.underWay.count == 1)
        let after = try remote(journal)
        after.advance(.milliseconds(500))
        #expect(after.fetcher.asked.count == 1)
        after.answer("latest", #"{"rates": {"EUR": 0.5}}"#)
        #expect(after.get("luthier.basePrice") == "\"€1,000.00\"")
    }
}
