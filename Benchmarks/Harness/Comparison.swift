import CountedAllocations

/// Something of ours beside a limit: the same done in the way that it is measured against. Both are measured in turn, so that a machine that is
/// slow for a while is slow for both. Times are the processor's.
struct Comparison: Sendable {
    /// What one side took for each operation: the median over the rounds.
    struct Cost {
        let nanoseconds: Double
        let allocations: Double
    }

    let name: String
    /// How many times the limit's time is allowed; nil for what is measured for the record.
    let allowed: Double?
    /// Operations in a round.
    let operations: Int
    /// Each makes what it needs and gives the operation, which is called with a number that is different each time.
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
                // The first rounds are for warming up.
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

/// Comparisons that belong together.
struct Group: Sendable {
    let name: String
    let comparisons: [Comparison]
    var bounds: [Bound] = []
    var figures: [Figure] = []
}
