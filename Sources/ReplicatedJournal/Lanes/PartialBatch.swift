/// The parts of a batch that were read so far.
struct PartialBatch {
    let batch: BatchID
    let parts: Int
    private(set) var content: [UInt8]
    private(set) var next = 1

    /// Begins a batch with its first part.
    init(_ entry: LogEntry) {
        batch = entry.batch
        parts = entry.parts
        content = entry.content
    }

    /// Adds a part. Returns false if it is not the next one.
    mutating func add(_ entry: LogEntry) -> Bool {
        guard entry.batch == batch, entry.parts == parts, entry.part == next else { return false }
        content += entry.content
        next += 1
        return true
    }

    var isWhole: Bool { next == parts }
}
