/// The known weaknesses of RSA keys, by which a key is refused when it is loaded.
enum RSAWeakness {
    /// The fewest bits of a modulus (RFC 7518, section 3.3).
    static let fewestBits = 2_048
    /// The primes by which the fingerprint of ROCA divides a modulus.
    private static let primes = (3...167).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
    /// The number whose powers the faulty library made its primes of.
    private static let generator = 65_537

    /// Returns the reason why a key is weak; nil if none is known. Precondition: the modulus has no leading zero.
    static func reason(modulus: [UInt8], exponent: [UInt8]) -> String? {
        let bits = bits(of: modulus)
        if bits < fewestBits { return "has \(bits) bits, and RS256 needs \(fewestBits) or more" }
        if exponent == [1] { return "has the exponent 1, so that anybody can sign" }
        if (modulus.last ?? 0) & 1 == 0 { return "has an even modulus, so that its private key can be computed" }
        if LibCrypto.isPrime(modulus) { return "has a prime modulus, so that its private key can be computed" }
        if hasFingerprintOfROCA(modulus) {
            return "has the fault ROCA (CVE-2017-15361), so that its private key can be computed"
        }
        return nil
    }

    /// Returns the length of a number without a leading zero.
    static func bits(of number: [UInt8]) -> Int { number.count * 8 - (number.first?.leadingZeroBitCount ?? 0) }

    /// Returns true if a modulus is a power of 65537 modulo each of the primes, as one of the faulty library is
    /// (CVE-2017-15361). Of other moduli one in 2.4 · 10⁸ is.
    static func hasFingerprintOfROCA(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { prime in
            let rest = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            var power = 1
            repeat {
                if power == rest { return true }
                power = power * generator % prime
            } while power != 1
            return false
        }
    }
}
