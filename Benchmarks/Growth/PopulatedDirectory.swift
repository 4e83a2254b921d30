import SQLiteJournal
import StateStore

/// A data directory with many spaces, each with one commit of the feature `user`. It is created once for each number.
final class PopulatedDirectory: Sendable {
    let count: Int
    let path: String
    private let scratch = Scratch()

    /// A directory of `count` spaces, of which the first `alarms` wait for an alarm in the year 2100.
    init(_ count: Int, alarms: Int = 0) {
        self.count = count
        path = scratch.path + "/data"
        let journal = sure { try SQLiteJournal(directory: path, durability: .none) }
        for start in stride(from: 0, to: count, by: 10_000) {
            let commits = (start..<min(start + 10_000, count)).map { Self.commit(Self.name($0), hasAlarm: $0 < alarms) }
            _ = sure { try journal.append(commits) }
        }
        journal.close()
    }

    static func name(_ number: Int) -> String { "customer-\(number)" }

    private static func commit(_ name: String, hasAlarm: Bool) -> CommitRecord {
        CommitRecord(
            space: SpaceName(name)!, version: 1, at: Timestamp(microseconds: 1_700_000_000_000_000),
            action: "user/save", input: nil,
            facts: [Fact(variable: "user.name", value: Array("\"Ada Lovelace\"".utf8))],
            alarm: hasAlarm ? Timestamp(seconds: 4_102_444_800) : nil)
    }

    /// The processor time of a load from the journal, in nanoseconds, over spaces scattered among all.
    func nanosecondsPerLoad() -> Double {
        let journal = sure { try SQLiteJournal(directory: path, durability: .none) }
        defer { journal.close() }
        let loads = 5_000
        let time = Processor.nanoseconds {
            for number in 0..<loads {
                let name = SpaceName(Self.name(number &* 7_777_777 % count))!
                guard sure({ try journal.load(name) }) != nil else { preconditionFailure("a space is missing") }
            }
        }
        return time / Double(loads)
    }
}
