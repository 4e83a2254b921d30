/// The messages about refusals of the last second, by kind. The first of a kind is written, and the others are counted.
struct RepeatedRefusals {
    /// Messages that are summed up.
    struct Kind: Hashable {
        let level: Log.Level
        let message: String
        /// The values that tell the kind from others of the message.
        let values: [NamedValue]

        init(_ level: Log.Level, _ message: String, _ values: [(String, String)]) {
            (self.level, self.message) = (level, message)
            self.values = values.map { NamedValue(name: $0.0, value: $0.1) }
        }
    }

    /// A value of a message.
    struct NamedValue: Hashable {
        let name: String
        let value: String
    }

    /// The number of messages of a kind that were not written.
    struct RefusalSum {
        let kind: Kind
        let count: Int
    }

    /// The nanoseconds for which messages of a kind are counted.
    static let period: Int64 = 1_000_000_000
    private var counts: [Kind: (since: Int64, count: Int)] = [:]

    /// Notes a message. Returns true if it is the first of its kind in a second.
    mutating func note(_ kind: Kind, at now: Int64) -> Bool {
        if let known = counts[kind], now - known.since < Self.period {
            counts[kind]?.count += 1
            return false
        }
        // The sum of the second before, if there is one, is taken first.
        guard counts[kind]?.count ?? 0 == 0 else {
            counts[kind]?.count += 1
            return false
        }
        counts[kind] = (now, 0)
        return true
    }

    /// Takes the sums of the kinds whose second is over. A kind that goes on begins another second.
    mutating func take(at now: Int64) -> [RefusalSum] {
        if counts.isEmpty { return [] }
        var sums: [RefusalSum] = []
        for (kind, known) in counts where now - known.since >= Self.period {
            if known.count > 0 {
                sums.append(RefusalSum(kind: kind, count: known.count))
                counts[kind] = (now, 0)
            } else {
                counts[kind] = nil
            }
        }
        return sums
    }
}
