/// The numbers of values below each of some bounds.
struct Histogram: Sendable {
    /// Bounds for times, in seconds.
    static let seconds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Bounds for how many are done at once.
    static let counts = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096]

    let bounds: [Double]
    /// The number of values below each bound and not below the one before; the last is beyond all bounds.
    private(set) var counts: [Int]
    private(set) var sum = 0.0

    init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ value: Double) {
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        counts[index] += 1
        sum += value
    }

    mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }

    var count: Int { counts.reduce(0, +) }
}
