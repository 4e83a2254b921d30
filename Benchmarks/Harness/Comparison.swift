import CountedAllocations

/// An operation of the server measured against a reference implementation.
///
/// The two sides alternate, so a machine that is slow for a while is slow for both. Times are processor time.
struct Comparison: Sendable {
    /// The cost of one operation: the median over the rounds.
    struct Cost {
        let nanoseconds: Double
        let allocations: Double
    }

    let name: String
    /// The maximum ratio to the reference's time; nil if the comparison is for the record only.
    let allowed: Double?
    /// The number of operations in a round.
    let operations: Int
    /// Each closure prepares its data and returns the operation, which receives a different number on each call.
    let ours: @Sendable () -> (Int) -> Void
    let limit: @Sendable () -> (Int) -> Void

    static let rounds = 15

    func measure() -> (ours: Cost, limit: Cost, ratio: Double) {
        let sides = [ours(), limit()]
        var times: [[Double]] = [[], []]
        var allocations: [[Double]] = [[], []]
        var next = 1
        for round in -2..<Self.rounds {
            for (side, operation) in sides.enumerated() {
                let before = allocations_so_far()
                let time = Processor.nanoseconds {
                    for number in next..<next + operations { operation(number) }
                }
                let allocated = allocations_so_far() - before
                next += operations
                // The first rounds warm up the caches.
                guard round >= 0 else { continue }
                times[side].append(time / Double(operations))
                allocations[side].append(Double(allocated) / Double(operations))
            }
        }
        let ratios = zip(times[0], times[1]).map { $0 / $1 }
        return (
            Cost(nanoseconds: median(times[0]), allocations: median(allocations[0])),
            Cost(nanoseconds: median(times[1]), allocations: median(allocations[1])), median(ratios)
        )
    }

    private func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}

/// A named set of measurements.
struct MeasurementGroup: Sendable {
    let name: String
    let comparisons: [Comparison]
    var bounds: [Bound] = []
    var figures: [Figure] = []
}
