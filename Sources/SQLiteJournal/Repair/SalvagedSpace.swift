internal import StateStore

/// The rows of one space that could be read. Each is as it was written: its sum says so.
struct SalvagedSpace {
    /// The row of `spaces`; nil if it could not be read. Its sum has the name and the ID, and not the versions.
    var head: SpaceHead?
    var name: SpaceName?
    var runs: [Run] = []
    /// The runs of pages that are no longer used.
    var unusedRuns: [Run] = []
    var state: [ValueRow] = []
    var past: [ValueRow] = []
    var answers: [SavedAnswer] = []
    /// The alarm, in microseconds since 1970.
    var alarm: Int?
    var hasWork = false
    /// The damaged rows.
    var losses: [RepairReport.Loss] = []
    /// True if a damaged row was one of `state` or `past`.
    var lacksRows = false

    /// A row of `runs`.
    struct Run {
        let first: Int
        let last: Int
        let text: [UInt8]
        let leaves: [UInt8]?
        let predecessor: CommitBatch.Predecessor?
        let sum: Int?

        /// The commits. Throws if the row differs from its sum.
        func batch(of space: SpaceName, at path: String) throws(JournalFailure) -> CommitBatch {
            try CommitBatch(
                first: first, last: last, text: text, leaves: leaves, after: predecessor, sum: sum, of: space, at: path)
        }
    }

    /// A row of `state` or `past`.
    struct ValueRow {
        let variable: String
        let entry: [UInt8]
        let value: [UInt8]
        let since: Int?
        /// Nil in `state`.
        let until: Int?

        var key: ValueKey { ValueKey(variable: ByteString(variable), entry: entry) }
    }

    /// The place of a value.
    struct ValueKey: Hashable {
        let variable: ByteString
        let entry: [UInt8]

        /// The variable, and the key of the entry if there is one.
        var text: String { variable.text + (entry.isEmpty ? "" : " " + String(decoding: entry, as: UTF8.self)) }
    }

    /// A row of `answers`.
    struct SavedAnswer {
        let key: String
        let fingerprint: Int
        let version: Int
        let changed: [UInt8]
        let at: Int
        let sum: Int?
    }
}
