import JSON
import StateStore
import Testing

@Suite struct MoneyTests {
    @Test(arguments: [
        ("0", "0.00"), ("12", "12.00"), ("12.5", "12.50"), ("-0.07", "-0.07"), ("1e3", "1000.00"),
        ("9999999999999999.99", "9999999999999999.99"), ("-9999999999999999.99", "-9999999999999999.99"),
    ])
    func `an amount is read exactly and written with two decimals`(_ text: String, _ written: String) throws {
        let amount = try #require(Money(text))
        #expect("\(amount)" == written && Money(written) == amount)
        #expect(try Money(parsing: amount.json()) == amount)
    }

    @Test(arguments: ["", "x", "0.001", "1e17", "10000000000000000", "1e-3", "1e300", "12,5"])
    func `an amount with more decimals or digits is refused`(_ text: String) {
        #expect(Money(text) == nil)
    }

    @Test func `an amount is a literal`() async {
        let amounts: [Money] = [12, 12.5, 0.07, -3.1, 9_999_999_999_999.99]
        #expect(amounts.map(\.cents) == [1_200, 1_250, 7, -310, 999_999_999_999_999])
        await #expect(processExitsWith: .failure) { _ = Money(floatLiteral: 0.001) }
    }

    @Test func `sums, products and shares agree with a model in Int128`() {
        var random = Randomness(seed: 1)
        let limit = Int128(999_999_999_999_999_999)
        func clamp(_ cents: Int128) -> Int64 { Int64(min(max(cents, -limit), limit)) }
        for _ in 0..<2_000 {
            let shift = Int64.random(in: 0...60, using: &random)
            let (a, b) = (
                Money(cents: Int64.random(in: .min ... .max, using: &random) >> shift),
                Money(cents: Int64.random(in: .min ... .max, using: &random) >> shift)
            )
            #expect((a + b).cents == clamp(Int128(a.cents) + Int128(b.cents)))
            #expect((a - b).cents == clamp(Int128(a.cents) - Int128(b.cents)))
            let times = Int.random(in: .min ... .max, using: &random) >> Int.random(in: 0...63, using: &random)
            #expect((a * times).cents == clamp(Int128(a.cents) * Int128(times)), "\(a) \(times)")
            #expect((a < b) == (a.cents < b.cents))
        }
        #expect(Money(cents: 105).share(0.5) == Money(cents: 52) && Money(cents: 107).share(0.5) == Money(cents: 54))
        #expect(Money.greatest.share(2) == .greatest && Money.least.share(2) == .least)
        #expect([Money(cents: 1), 2].reduce(.zero, +) == Money(cents: 201))
    }
}
