import CountedAllocations

/// An operation measured against a fixed time. The figure depends on the machine: it reveals regressions and proves
/// nothing more.
struct Bound: Sendable {
    let name: String
    /// The maximum time in nanoseconds.
    let allowed: Double
    /// The number of operations in a round.
    let operations: Int
    let operation: @Sendable () -> (Int) -> Void

    func measure() -> Comparison.Cost {
        let operation = operation()
        var times: [Double] = []
        var next = 1
        var allocated: UInt64 = 0
        for round in -2..<Comparison.rounds {
            let before = allocations_so_far()
            let time = Processor.nanoseconds {
                for number in next..<next + operations { operation(number) }
            }
            allocated = allocations_so_far() - before
            next += operations
            if round >= 0 { times.append(time / Double(operations)) }
        }
        return Comparison.Cost(
            nanoseconds: times.sorted()[times.count / 2], allocations: Double(allocated) / Double(operations))
    }
}
