/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    private static let rounds: [UInt32] = roots(of: 3, count: 64)
    private static let start: [UInt32] = roots(of: 2, count: 8)

    /// Returns the digest of `bytes`: 32 bytes.
    package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var message = Array(bytes)
        let bitCount = UInt64(message.count) * 8
        message.append(0x80)
        while message.count % 64 != 56 { message.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        var state = start
        var words = [UInt32](repeating: 0, count: 64)
        for block in stride(from: 0, to: message.count, by: 64) { mix(message, block, &words, into: &state) }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    private static func mix(_ message: [UInt8], _ block: Int, _ words: inout [UInt32], into state: inout [UInt32]) {
        for index in 0..<16 {
            var word: UInt32 = 0
            for byte in 0..<4 { word = word << 8 | UInt32(message[block + index * 4 + byte]) }
            words[index] = word
        }
        for index in 16..<64 {
            let early = words[index - 15]
            let late = words[index - 2]
            let first = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
            let second = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var (a, b, c, d, e, f, g, h) = (state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let choice = e & f ^ ~e & g
            let one = h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ rounds[index] &+ words[index]
            let majority = a & b ^ a & c ^ b & c
            let two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ one, c, b, a, one &+ two)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of the roots of the first primes. The constants of the standard are
    /// computed here, not copied.
    private static func roots(of degree: Int, count: Int) -> [UInt32] {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < count {
            if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { prime in
            // The largest integer whose power is at most prime · 2^(32·degree), found bit by bit. Its low 32 bits are
            // the fraction.
            var root: UInt64 = 0
            for bit in stride(from: 35, through: 0, by: -1)
            where power(root | 1 << UInt64(bit), degree, isAtMost: prime) {
                root |= 1 << UInt64(bit)
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }

    private static func power(_ root: UInt64, _ degree: Int, isAtMost prime: UInt64) -> Bool {
        let value = (0..<degree).reduce(UInt128(1)) { product, _ in product * UInt128(root) }
        return value <= UInt128(prime) << UInt128(32 * degree)
    }
}
