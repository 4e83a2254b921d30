/// A random generator that is deterministic for a state.
struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }

    mutating func pick(_ count: Int) -> Int {
        Int((next() >> 20) % UInt64(count))
    }
}
