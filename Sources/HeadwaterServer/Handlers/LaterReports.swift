import Ground
import JSON
import StateStore

/// The reports of rehearsals that clients fetch later, for all loops.
final class LaterReports: Sendable {
    /// The number of reports that are made or kept at once.
    private static let countLimit = 64
    /// The time that a report is kept.
    private static let nanoseconds: Int64 = 600_000_000_000

    /// A report.
    enum LaterReport: Sendable {
        case running
        case done(Result<JSON, PastRefusal>)
    }

    private struct KeptReport {
        let id: String
        let feature: String
        let subject: String
        var report = LaterReport.running
        /// The time at which the report was made; nil while it is not.
        var end: Int64?
    }

    private let entries = Lock<[KeptReport]>([])

    /// Begins a report for a subject, and returns its name; nil if too many are made at once.
    func begin(_ feature: String, for subject: String) -> String? {
        let id =
            String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
        return entries.with { entries in
            let now = MonotonicTime.now
            entries.removeAll { $0.end.map { now - $0 > Self.nanoseconds } ?? false }
            if entries.count >= Self.countLimit {
                guard let oldest = entries.firstIndex(where: { $0.end != nil }) else { return nil }
                entries.remove(at: oldest)
            }
            entries.append(KeptReport(id: id, feature: feature, subject: subject))
            return id
        }
    }

    /// Takes the outcome of a report.
    func end(_ id: String, _ result: Result<JSON, PastRefusal>) {
        entries.with { entries in
            guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
            entries[index].report = .done(result)
            entries[index].end = MonotonicTime.now
        }
    }

    /// Returns a report of a feature that a subject has begun; nil if there is none.
    func find(_ id: String, of feature: String, for subject: String) -> LaterReport? {
        entries.with { entries in
            entries.first { $0.id == id && $0.feature == feature && $0.subject == subject }?.report
        }
    }
}
