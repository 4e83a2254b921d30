import DiskFaults
import Foundation
import Platform
@testable import SQLiteJournal
import StateStore
import Testing

// Law D15.
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

    @Test(
        "after a file is removed, the next append fails, and all later ones",
        arguments: [Durability.commit, .interval, .none],
        ["", "/journal.sqlite", "/journal.sqlite-wal"])
    func removal(_ durability: Durability, _ name: String) throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability)
        try journal.count(1...1)
        try FileManager.default.removeItem(atPath: scratch.directory() + name)
        let failures = journal.syncFailures
        for _ in 1...3 {
            #expect(throws: JournalFailure.self) {
                guard let outcomes = try journal.appendAtOnce([.counting(2)]) else {
                    _ = try journal.append([.counting(2)])
                    return
                }
                _ = outcomes
            }
        }
        #expect(journal.syncFailures >= failures + 3)
        #expect(throws: JournalFailure.self) { try journal.forget(.main) }
        #expect(throws: JournalFailure.self) { try journal.probe() }
        #expect(throws: JournalFailure.self) { try journal.settle() }
        #expect(journal.close() != nil)
    }

    @Test(
        "a commit whose file is removed before the answer has an unknown outcome",
        arguments: ["/journal.sqlite", "/journal.sqlite-wal"])
    func removalMeanwhile(_ name: String) throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...1)
        let path = scratch.directory() + name
        let failure = #expect(throws: JournalFailure.self) {
            _ = try journal.maintenance.write { writer throws(JournalFailure) in
                try writer.together { () throws(JournalFailure) in
                    // The writer has looked, and has not committed yet.
                    guard unlink(path) == 0 else { throw .unusable(path) }
                    return try writer.append(next: [.counting(2)])
                }
            }
        }
        #expect(failure?.kind == .outcomeUnknown)
        let second = #expect(throws: JournalFailure.self) { try journal.append([.counting(3)]) }
        #expect(second?.kind == .cannotWrite)
    }

    @Test("the name of a new directory is synced in its parent, also if an earlier process made the directory")
    func parentSync() throws {
        let disk = try FaultyDisk(in: scratch.path)
        let (parent, directory) = (disk.root + "/parent", disk.root + "/parent/data")
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
        for isMade in [false, true] {
            if isMade {
                try FileManager.default.removeItem(atPath: directory)
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            }
            let start = try disk.trace.count
            let child = try Child("endure", directory, "commit", on: disk)
            #expect(child.line() == "open 0")
            let events = try DiskEvent.read(Array(disk.trace[start...]), root: disk.root)
            #expect(events.contains { if case .sync("/parent", false) = $0.kind { true } else { false } })
            _ = child.kill()
        }
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
