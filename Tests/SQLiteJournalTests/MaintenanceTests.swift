import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

@Suite struct MaintenanceTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func open(history: Int = SQLiteJournal.history) throws -> SQLiteJournal {
        try SQLiteJournal(directory: scratch.directory(), history: history)
    }

    private func count(_ sql: String) throws -> Int {
        try scratch.inspected().integer(sql)
    }

    @Test(arguments: 1...8)
    func `a snapshot and the commits after it equal all commits, and history is trimmed at its limit`(
        _ seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let history = Int.random(in: 0...1_500, using: &random)
        var journal = try open(history: history)
        var truth = try Truth()
        var records: [CommitRecord] = []
        while records.count < 3_000 {
            let batch = (1...Int.random(in: 1...200, using: &random)).map { step in
                CommitRecord(
                    space: .main, version: records.count + step, at: Timestamp(microseconds: 0), action: "a/b",
                    input: nil,
                    facts: RandomFacts.make(using: &random))
            }
            #expect(try journal.append(batch).allSatisfy { $0 == .kept })
            for fact in batch.flatMap(\.facts) { try truth.take(fact) }
            records += batch
            if Bool.random(using: &random) { try journal.settle() }
            if Int.random(in: 0..<6, using: &random) == 0 {
                journal.close()
                #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
                journal = try open(history: history)
            }
            let kept = try #require(try journal.load(.main))
            #expect(kept.version == records.count)
            #expect(try Truth(kept.facts) == truth)
        }
        try journal.settle()
        let oldest = try count("SELECT oldest FROM spaces")
        #expect(oldest <= records.count - history)
        #expect(oldest >= records.count - history - BatchWriter.tailCommitsLimit)
        // Commits beyond the history are gone for readers, whether they are deleted yet or not.
        let first = records.count - history
        #expect(try journal.read(.main, after: first, limit: 3_000) == .commits(Array(records[first...])))
        #expect(try journal.read(.main, after: first - 1, limit: 1) == .gone(oldest: first))
        #expect(journal.maintenanceFailure == nil)
    }

    @Test func `a snapshot writes only the changed rows`() throws {
        let journal = try open()
        let rows = (1...2_000).map { Fact(variable: "a.t", entry: "\($0)", value: Array("0".utf8)) }
        _ = try journal.append([
            CommitRecord(
                space: .main, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil, facts: rows)
        ])
        try journal.count(2...1_100)
        try journal.settle()
        #expect(try count("SELECT count(*) FROM state") == 2_001)
        #expect(try count("SELECT snapshot FROM spaces") > 1_000)
        #expect(try journal.load(.main)?.facts.count == 2_001)
    }

    @Test func `commits after the snapshot are not trimmed`() throws {
        let journal = try open(history: 0)
        try journal.count(1...1_000)
        try journal.settle()
        #expect(try count("SELECT count(*) FROM history") == 1_000)
        try journal.count(1_001...1_100)
        try journal.settle()
        #expect(try count("SELECT count(*) FROM history") == 1_100 - count("SELECT snapshot FROM spaces"))
        #expect(
            try journal.load(.main)
                == StoredSpace(version: 1_100, facts: [Fact(variable: "counter.count", value: Array("1100".utf8))]))
    }

    @Test func `a space without history keeps its version`() throws {
        let journal = try open(history: 0)
        try journal.append((1...BatchWriter.tailCommitsLimit).map { .counting($0) }).forEach { #expect($0 == .kept) }
        try journal.settle()
        journal.close()
        let again = try open(history: 0)
        #expect(try count("SELECT count(*) FROM history") == 0)
        #expect(try again.append([.counting(5)]) == [.moved(to: BatchWriter.tailCommitsLimit)])
        #expect(try again.spaces(after: nil, limit: 1).map(\.version) == [BatchWriter.tailCommitsLimit])
        #expect(try again.append([.counting(BatchWriter.tailCommitsLimit + 1)]) == [.kept])
    }

    @Test func `answers are deleted after a day, by the time of the commits`() throws {
        let journal = try open()
        let day: Int64 = 24 * 60 * 60 * 1_000_000
        _ = try journal.append((1...1_000).map { .counting($0, key: "k\($0)", at: Int64($0)) })
        _ = try journal.append([.counting(1_001, key: "late", at: day / 2)])
        try journal.settle()
        #expect(try count("SELECT count(*) FROM answers") == 1_001)
        _ = try journal.append([.counting(1_002, at: day + 10_000)])
        try journal.settle()
        #expect(try count("SELECT count(*) FROM answers") == 1)
        #expect(try journal.answer(.main, key: "late", since: Timestamp(microseconds: 0))?.version == 1_001)
    }

    @Test func `no byte of a deleted space remains in the file`() throws {
        let journal = try open()
        _ = try journal.append((1...1_500).map { .counting($0, key: "k\($0)") })
        try journal.settle()
        #expect(try journal.forget(.main))
        // A new space of that name does not get remaining rows of the old one.
        try journal.count(1...2)
        try journal.settle()
        #expect(try count("SELECT count(*) FROM history") == 2)
        #expect(try count("SELECT count(*) FROM runs") == 1)
        #expect(
            try count("SELECT count(*) FROM state") + count("SELECT count(*) FROM answers")
                + count("SELECT count(*) FROM forgotten") == 0)
        #expect(try journal.load(.main)?.version == 2)
    }

    @Test func `the log is longer than its frames, and is read up to the last frame`() throws {
        let journal = try open()
        let log = scratch.database() + "-wal"
        try journal.count(1...100)
        try journal.settle()
        let first = try Scratch.size(log)
        #expect(try count("SELECT count(*) FROM history") == 100)
        // More than the reserved length, so that the log grows again.
        let note = Array("\"\(String(repeating: "x", count: 50_000))\"".utf8)
        for version in 101...120 {
            _ = try journal.append([
                CommitRecord(
                    space: .main, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
                    facts: [Fact(variable: "a.x", value: note)])
            ])
        }
        try journal.settle()
        #expect(try Scratch.size(log) >= 4 * MaintenancePlan.lengtheningBytes)
        #expect(try Scratch.size(log) > first)
        // In the state after a power loss.
        try FileManager.default.createDirectory(atPath: scratch.directory("left"), withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: scratch.database(), toPath: scratch.database("left"))
        try FileManager.default.copyItem(atPath: log, toPath: scratch.database("left") + "-wal")
        let left = try SQLiteJournal(directory: scratch.directory("left"))
        #expect(try left.load(.main)?.version == 120)
        #expect(try left.append([.counting(121)]) == [.kept])
        left.close()
        #expect(try SQLiteJournal.check(scratch.directory("left")).problems == [])
    }

    @Test func `the log does not grow without limit`() throws {
        let journal = try open()
        let note = Array("\"\(String(repeating: "x", count: 100_000))\"".utf8)
        for version in 1...400 {
            let facts = [Fact(variable: "a.x", value: note)]
            _ = try journal.append([
                CommitRecord(
                    space: .main, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
                    facts: facts)
            ])
            if version % 50 == 0 { try journal.settle() }
        }
        try journal.settle()
        #expect(try Scratch.size(scratch.database() + "-wal") < 30_000_000)
        #expect(try Scratch.size(scratch.database()) > 20_000_000)
    }

    // Law CALM8
    @Test func `a space that is too large for the memory is not loaded, and its commits are read`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), spaceLimit: 100_000)
        let other = try #require(SpaceName("other"))
        for (space, count) in [(SpaceName.main, 400), (other, 3)] {
            for version in 1...count {
                let fact = Fact(variable: "a.rows", entry: "\(version)", value: Array("\"a row\"".utf8))
                _ = try journal.append([
                    CommitRecord(
                        space: space, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
                        facts: [fact])
                ])
            }
            // The loads make the maintenance write snapshots.
            _ = try? journal.load(space)
        }
        try journal.settle()
        let failure = #expect(throws: JournalFailure.self) { _ = try journal.load(.main) }
        #expect(failure?.kind == .tooLarge)
        #expect(try journal.load(other)?.facts.count == 3)
        guard case .commits(let commits) = try journal.read(.main, after: 0, limit: 1_000) else {
            Issue.record("the commits are gone")
            return
        }
        #expect(commits.count == 400)
        journal.close()
    }
}
