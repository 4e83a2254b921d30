/// A set of ASCII characters, one bit each.
struct OctetSet {
    private let low: UInt64
    private let high: UInt64

    /// The characters of a token (RFC 9110, section 5.6.2): letters, digits and ``!#$%&'*+-.^_`|~``.
    static let token = OctetSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    /// The characters of an authority (RFC 3986, section 3.2): letters, digits and `-._~!$&'()*+;=:[]%`. The comma is
    /// left out, because it separates list elements.
    static let authority = OctetSet(low: 0x2FFF_6FF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE)
    /// The characters of nearly all host names: lower-case letters, digits, dots and hyphens.
    static let plainHost = OctetSet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_0000_0000)

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Returns true if the set contains the byte.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte) & 1 != 0
    }
}
