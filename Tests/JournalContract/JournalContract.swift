package import StateStore
import Testing

/// The contract of every journal, independent of its storage. A test target checks all of it with one test:
///
///     @Test(arguments: JournalContract.all)
///     func `it keeps the contract`(_ article: JournalContract) throws {
///         try article.check { try MemoryJournal() }
///     }
package struct JournalContract: Sendable, CustomTestStringConvertible {
    /// The requirement in words.
    package let testDescription: String
    /// Checks the requirement. The argument creates an empty journal, any number of times.
    package let check: @Sendable (() throws -> any Journal) throws -> Void

    init(_ testDescription: String, _ check: @escaping @Sendable (() throws -> any Journal) throws -> Void) {
        self.testDescription = testDescription
        self.check = check
    }

    /// All requirements.
    package static let all = appending + reading + folding + remembering + following + erasing
}

extension SpaceName {
    static let main = SpaceName("main") ?? .common
    static let other = SpaceName("other") ?? .common
}

extension CommitRecord {
    /// A commit with default values.
    static func making(
        _ version: Int, of space: SpaceName = .main, _ facts: [Fact] = [], key: Idempotency? = nil, at: Int64 = 0,
        leavesWork: Bool = false, common: Int = 0, by: String = "", alarm: Int64? = nil
    ) -> CommitRecord {
        CommitRecord(
            space: space, version: version, at: Timestamp(microseconds: at + Int64(version)), action: "counter/add",
            input: Array(#"{"by":1}"#.utf8),
            facts: facts.isEmpty ? [.whole("counter.count", "\(version)")] : facts, idempotency: key,
            leavesWork: leavesWork, common: common, by: by, alarm: alarm.map { Timestamp(microseconds: $0) })
    }
}

extension Fact {
    static func whole(_ variable: String, _ value: String) -> Fact {
        Fact(variable: variable, value: Array(value.utf8))
    }

    static func entry(_ variable: String, _ key: String, _ value: String?) -> Fact {
        Fact(variable: variable, entry: key, value: value.map { Array($0.utf8) })
    }
}
