/// Durations, counted by their size.
package struct SecondsHistogram: Sendable {
    /// The upper bounds in seconds.
    package static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The number of durations up to each bound and above the one before.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count)
    /// The number of all durations, and their sum.
    package private(set) var count = 0
    package private(set) var sum = 0.0

    mutating func add(_ seconds: Double) {
        count += 1
        sum += seconds
        if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
    }
}
