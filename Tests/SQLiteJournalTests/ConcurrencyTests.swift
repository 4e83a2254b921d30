import Platform
import Foundation
import StateStore
import Synchronization
import Testing

@testable import SQLiteJournal

@Suite struct ConcurrencyTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// A commit that is complete only if both of its values are equal.
    private func pair(_ version: Int) -> CommitRecord {
        let value = Array("\(version)".utf8)
        return CommitRecord(
            space: .main, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
            facts: [Fact(variable: "a.one", value: value), Fact(variable: "a.two", value: value)])
    }

    @Test(arguments: Durability.allCases)
    func `a thread that reads during appends sees only whole commits, in order`(
        _ durability: Durability
    ) throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability, history: 100)
        let told = Lock(0)
        let following = journal.follow { commits in told.withLock { $0 = commits.last?.version ?? $0 } }
        let failures = Lock<[String]>([])
        let last = 6_000
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            do {
                if thread == 0 {
                    for start in stride(from: 1, through: last, by: 20) {
                        _ = try journal.append((start..<start + 20).map(pair))
                    }
                } else {
                    var seen = 0
                    while seen < last {
                        let known = told.withLock { $0 }
                        guard let space = try journal.load(.main) else { continue }
                        let isWhole =
                            space.facts.map { $0.value } == Array(repeating: Array("\(space.version)".utf8), count: 2)
                        if !isWhole || space.version < max(seen, known) {
                            failures.withLock { $0.append("\(space) after \(seen), told of \(known)") }
                        }
                        seen = space.version
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(journal.maintenanceFailure == nil)
        withExtendedLifetime(following) {}
        journal.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }

    @Test func `spaces that left the cache are found again`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: .none)
        let names = try (0..<2 * SpaceHeads.limit + 10).map { try #require(SpaceName("s\($0)")) }
        #expect(try journal.append(names.map { .counting(1, of: $0) }).allSatisfy { $0 == .kept })
        #expect(
            try journal.append([.counting(1, of: names[0]), .counting(2, of: names[1])]) == [.moved(to: 1), .kept])
        #expect(try journal.append([.counting(3, of: names[1])]) == [.kept])
    }
}
