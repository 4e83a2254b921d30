/// An integer modulo the prime 2¹²⁷ − 1.
package struct Residue: Hashable, Sendable {
    // Two words instead of one `UInt128`, whose alignment of 16 bytes would make an encoded row a third larger.
    private let low: UInt64
    private let high: UInt64

    static let zero = Residue(0)
    static let one = Residue(1)

    private static var modulus: UInt128 { (1 << 127) - 1 }

    /// A residue of any number.
    package init(_ number: UInt128) {
        let folded = Self.fold(number)
        let residue = folded >= Self.modulus ? folded - Self.modulus : folded
        low = UInt64(truncatingIfNeeded: residue)
        high = UInt64(truncatingIfNeeded: residue >> 64)
    }

    /// The number, below the modulus.
    package var number: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// Returns a number of the same residue that is at most 2¹²⁷, because 2¹²⁷ is 1 modulo the prime.
    private static func fold(_ number: UInt128) -> UInt128 { (number & modulus) &+ (number >> 127) }

    package static func + (one: Residue, other: Residue) -> Residue { Residue(one.number &+ other.number) }

    package static func * (one: Residue, other: Residue) -> Residue {
        // one · other = top · 2¹²⁸ + middle · 2⁶⁴ + bottom, and 2¹²⁸ is 2 modulo the prime. No sum reaches 2¹²⁸: the
        // folded bottom is at most 2¹²⁷, the folded middle below it, the doubled top at most 2¹²⁷ − 2.
        let bottom = UInt128(one.low) &* UInt128(other.low)
        let middle = UInt128(one.low) &* UInt128(other.high) &+ UInt128(one.high) &* UInt128(other.low)
        let top = UInt128(one.high) &* UInt128(other.high)
        let shifted = (middle & ((1 << 63) - 1)) << 64 &+ middle >> 63
        return Residue(fold(fold(bottom) &+ fold(shifted)) &+ top << 1)
    }
}
