import Foundation
import Ground
@testable import SQLiteJournal
import StateStore
import Testing

@Suite struct RemovedFilesTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test(arguments: ["", "/journal.sqlite", "/journal.sqlite-wal"])
    func `when a file or the directory is removed, appends fail within a second`(_ name: String) throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...1)
        let path = scratch.directory() + name
        try FileManager.default.moveItem(atPath: path, toPath: scratch.directory("away"))
        var version = 1
        let deadline = MonotonicTime.now + 30_000_000_000
        var failure: JournalFailure?
        while failure == nil, MonotonicTime.now < deadline {
            do throws(JournalFailure) {
                _ = try journal.append([.counting(version + 1)])
                version += 1
            } catch {
                failure = error
            }
        }
        #expect(failure?.kind == .cannotWrite && failure?.description.contains("was removed or replaced") == true)
        #expect(throws: JournalFailure.self) { try journal.probe() }
        #expect(throws: JournalFailure.self) { try journal.settle() }
        // It was put back.
        try FileManager.default.moveItem(atPath: scratch.directory("away"), toPath: path)
        #expect(try journal.append([.counting(version + 1)]) == [.kept])
    }

    @Test(arguments: ["", "/journal.sqlite", "/journal.sqlite-wal"])
    func `a removed file or directory is noticed without a write, and so is its return`(
        _ name: String
    ) throws {
        let conditions = Lock<[JournalCondition]>([])
        let change = Condition()
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...1)
        journal.watch { condition in
            conditions.withLock { $0.append(condition) }
            change.signal()
        }
        let path = scratch.directory() + name
        try FileManager.default.moveItem(atPath: path, toPath: scratch.directory("away"))
        #expect(change.wait(until: MonotonicTime.now + 30_000_000_000) == .signaled)
        #expect(journal.maintenanceFailure?.description.contains("was removed or replaced") == true)
        try FileManager.default.moveItem(atPath: scratch.directory("away"), toPath: path)
        #expect(change.wait(until: MonotonicTime.now + 30_000_000_000) == .signaled)
        #expect(conditions.withLock { $0.last } == .well)
    }

    @Test func `a byte that changed in the log is reported by check and by the next start`() throws {
        let child = try Child("endure", scratch.directory(), "commit")
        #expect(child.line() == "open 0")
        for version in 1...20 { #expect(try child.ask("append")?.hasPrefix("kept \(version) ") == true) }
        _ = child.kill()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
        let log = URL(fileURLWithPath: scratch.database() + "-wal")
        var bytes = try Data(contentsOf: log)
        bytes[40 * 4_120] ^= 1
        try bytes.write(to: log)
        let problems = try SQLiteJournal.check(scratch.directory()).problems
        #expect(problems.contains { $0.contains("acknowledged commits are missing") }, "\(problems)")
        let failure = #expect(throws: JournalFailure.self) { try SQLiteJournal(directory: scratch.directory()) }
        #expect(failure?.kind == .damaged)
    }

    @Test func `an epoch below the first is reported by check`() throws {
        do {
            let journal = try SQLiteJournal(directory: scratch.directory())
            try journal.count(1...1)
            journal.close()
        }
        try DatabaseConnection(scratch.database(), .writing).execute(
            "INSERT OR REPLACE INTO meta VALUES ('first', 9000000000000)")
        let problems = try SQLiteJournal.check(scratch.directory()).problems
        #expect(problems.contains { $0.contains("below the first") })
    }
}
