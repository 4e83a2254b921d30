/// The known weaknesses of keys of Ed25519, by which a key is refused when it is loaded.
enum Ed25519Weakness {
    /// The prime of the field, 2²⁵⁵ - 19, its least byte first.
    private static let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    /// The second coordinates of the points whose order divides 8, their least byte first: of the orders 1, 2 and 4, and
    /// of the four points of order 8, which have two.
    private static let small: [[UInt8]] = [
        [1] + [UInt8](repeating: 0, count: 31), [0xEC] + prime.dropFirst(), [UInt8](repeating: 0, count: 32),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]

    /// Returns the reason why a key is weak; nil if none is known. Precondition: the key has 32 bytes.
    static func reason(_ key: [UInt8]) -> String? {
        // The highest bit is the sign of the first coordinate.
        var coordinate = key
        coordinate[31] &= 0x7F
        guard isLess(coordinate, prime) else { return "is not in its one form: its number is not below 2^255 - 19" }
        return small.contains(coordinate) ? "has a small order, so that anybody can sign" : nil
    }

    /// Returns true if a number is less than another one of as many bytes.
    private static func isLess(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.reversed().lexicographicallyPrecedes(other.reversed())
    }
}
