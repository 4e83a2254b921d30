/// The pauses between attempts: they grow to five seconds, and differ by chance, so that clients do not come back together.
struct Pace: Sendable {
    private var state: UInt64
    private(set) var fails = 0

    init(seed: UInt64) {
        state = seed
    }

    /// The pause after one more failure.
    mutating func fail() -> Duration {
        defer { fails += 1 }
        return pause(after: fails)
    }

    /// The pause after some failures: between a half and one and a half of 300 ms · 2ⁿ.
    mutating func pause(after fails: Int) -> Duration {
        .milliseconds(300 << min(fails, 4)) * (0.5 + fraction())
    }

    mutating func succeed() { fails = 0 }

    /// A number from 0 to 1 (SplitMix64).
    private mutating func fraction() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ mixed >> 31) >> 11) / 0x1p53
    }
}
