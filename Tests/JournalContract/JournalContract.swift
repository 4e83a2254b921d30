public import StateStore
public import Testing

/// What every journal must do, whatever it keeps its commits on. A test target takes all of it with one test:
///
///     @Test(arguments: JournalContract.all)
///     func `it keeps the contract`(_ article: JournalContract) throws {
///         try article.check { try MemoryJournal() }
///     }
public struct JournalContract: Sendable, CustomTestStringConvertible {
    /// What it demands, in words.
    public let testDescription: String
    /// Tests it on a journal that keeps nothing yet, of which there can be several.
    public let check: @Sendable (() throws -> any Journal) throws -> Void

    init(_ testDescription: String, _ check: @escaping @Sendable (() throws -> any Journal) throws -> Void) {
        self.testDescription = testDescription
        self.check = check
    }

    /// All of it.
    public static let all = appending + reading + folding
}

extension SpaceName {
    static let main = SpaceName("main") ?? .common
    static let other = SpaceName("other") ?? .common
}

extension CommitRecord {
    /// A commit that says little else.
    static func making(
        _ version: Int, of space: SpaceName = .main, _ facts: [Fact] = [], key: Idempotency? = nil, at: Int64 = 0,
        leavesWork: Bool = false
    ) -> CommitRecord {
        CommitRecord(
            space: space, version: version, at: Timestamp(microseconds: at + Int64(version)), action: "counter/add",
            input: Array(#"{"by":1}"#.utf8),
            facts: facts.isEmpty ? [.whole("counter.count", "\(version)")] : facts, idempotency: key,
            leavesWork: leavesWork)
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
