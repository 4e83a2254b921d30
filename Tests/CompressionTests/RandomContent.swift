/// A source of random content, with reproducible output for each seed.
struct RandomContent: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int) { state = UInt64(seed) }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns content of 0 bytes to about 100 KiB: noise, or repeated words.
    mutating func content() -> [UInt8] {
        let size = Int.random(in: 0..<(1 << Int.random(in: 0...16, using: &self)), using: &self)
        if Bool.random(using: &self) { return (0..<size).map { _ in UInt8.random(in: 0...255, using: &self) } }
        let words = ["data: ", "quantity", "{\"id\":", "\n\n", "4711", ": "]
        var content: [UInt8] = []
        while content.count < size { content += words.randomElement(using: &self)?.utf8 ?? "".utf8 }
        return content
    }
}
