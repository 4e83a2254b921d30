import StateStore
import Testing

/// Arithmetic modulo 2¹²⁷ − 1, compared with doubling and adding.
struct ResidueTests {
    private static let modulus = UInt128(1) << 127 - 1

    private static func product(_ one: UInt128, _ other: UInt128) -> UInt128 {
        var sum: UInt128 = 0
        for bit in (0..<127).reversed() {
            sum = (sum << 1) % modulus
            if other >> UInt128(bit) & 1 == 1 { sum = (sum + one) % modulus }
        }
        return sum
    }

    // Law ROWS2
    @Test func `products and sums are those of integers modulo the prime`() {
        var dice = Randomness(seed: 7)
        let modulus = Self.modulus
        let edges: [UInt128] = [
            0, 1, 2, modulus - 1, modulus - 2, 1 << 64, 1 << 126, (1 << 64) - 1, modulus - (1 << 64),
        ]
        let numbers = edges + (0..<60).map { _ in UInt128.random(in: 0..<modulus, using: &dice) }
        for one in numbers {
            for other in numbers {
                #expect((Residue(one) * Residue(other)).number == Self.product(one, other))
                #expect((Residue(one) + Residue(other)).number == (one + other) % modulus)
            }
        }
        #expect(Residue(modulus).number == 0 && Residue(.max).number == UInt128.max % modulus)
    }
}
