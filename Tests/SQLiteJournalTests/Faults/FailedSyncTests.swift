import Platform
import DiskFaults
import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

@Suite struct FailedSyncTests {
    let scratch: Scratch
    let disk: FaultyDisk

    init() throws {
        scratch = try Scratch()
        disk = try FaultyDisk(in: scratch.path)
    }

    private func begin(_ durability: Durability = .commit) throws -> Child {
        let child = try Child("endure", disk.directory, durability.rawValue, on: disk)
        #expect(child.line() == "open 0")
        return child
    }

    /// Runs the due maintenance, so that the next sync of the log is that of a commit.
    private func quiet(_ child: Child) throws {
        #expect(try child.ask("settle") == "settled")
    }

    /// The versions and inputs of the commits after a power loss, if every failed sync has dropped its pages.
    private func commits(_ name: String = "image", seed: UInt64 = 1) throws -> [String] {
        var image = try DiskImage(seed: seed)
        for event in try DiskEvent.read(disk.trace, root: disk.root) { image.take(event) }
        image.cut(.nothing)
        try image.write(to: scratch.directory(name))
        #expect(try SQLiteJournal.check(scratch.directory(name) + "/data").problems == [])
        let journal = try SQLiteJournal(directory: scratch.directory(name) + "/data")
        defer { journal.close() }
        guard case .commits(let commits) = try journal.read(.main, after: 1_100, limit: .max) else { return [] }
        return commits.map { "\($0.version) \(String(decoding: $0.input ?? [], as: UTF8.self).dropFirst().dropLast())" }
    }

    @Test func `a commit acknowledged after a failed sync survives a power loss`() throws {
        let child = try begin()
        #expect(try child.ask("fill") == "kept 1100")
        // Snapshots advance, and are in the log without a sync.
        try quiet(child)
        try disk.arm(.init(.sync, of: [.log]))
        #expect(try child.ask("append")?.hasPrefix("failed 1101 ") == true)
        #expect(try disk.failures == 1)
        var told: [String] = []
        for _ in 0..<39 { told.append(String(try #require(try child.ask("append")).dropFirst("kept ".count))) }
        _ = child.kill()
        for seed in UInt64(1)...2 {
            let kept = try commits("image-\(seed)", seed: seed)
            #expect(kept == told, "\(told.count) commits were acknowledged, and \(kept.count) are there: \(kept)")
        }
    }

    @Test func `a commit whose sync failed has an unknown outcome, and is stored only once when repeated`()
        throws
    {
        let child = try begin()
        #expect(try child.ask("append")?.hasPrefix("kept 1 ") == true)
        try quiet(child)
        try disk.arm(.init(.sync, of: [.log]))
        #expect(try child.ask("append")?.hasSuffix(" outcomeUnknown") == true)
        // Its frames are in the log: a process that opens it now has the commit.
        let told = try #require(try child.ask("append"))
        #expect(told.hasPrefix("kept 2 "))
        _ = child.kill()
        let journal = try SQLiteJournal(directory: disk.directory)
        guard case .commits(let commits) = try journal.read(.main, after: 0, limit: .max) else { return }
        #expect(
            commits.map {
                "kept \($0.version) \(String(decoding: $0.input ?? [], as: UTF8.self).dropFirst().dropLast())"
            }.last == told)
        #expect(commits.count == 2)
    }

    @Test func `a log dropped by the kernel ends writing, and the next start has every acknowledged commit`()
        throws
    {
        let child = try begin()
        #expect(try child.ask("fill") == "kept 1100")
        try quiet(child)
        try disk.arm(.init(.sync, of: [.log], drops: true))
        #expect(try child.ask("append")?.hasSuffix(" outcomeUnknown") == true)
        _ = child.kill()
        #expect(try SQLiteJournal.check(disk.directory).problems == [])
        #expect(try SQLiteJournal(directory: disk.directory).load(.main)?.version == 1_100)
    }

    @Test(arguments: Durability.allCases)
    func `a sync that keeps failing fails each later append, and the end of the process`(
        _ durability: Durability
    ) throws {
        let child = try begin(durability)
        #expect(try child.ask("fill") == "kept 1100")
        try quiet(child)
        try disk.arm(.init(.sync, lasts: true))
        if durability == .commit {
            #expect(try child.ask("append")?.hasSuffix(" outcomeUnknown") == true)
            for _ in 0..<3 { #expect(try child.ask("append")?.hasSuffix(" cannotWrite") == true) }
        }
        #expect(try child.end() == 1)
    }

    @Test func `with an interval, appends fail after a failed sync until one succeeds`() throws {
        let child = try begin(.interval)
        try disk.arm(.init(.sync, of: [.log], lasts: true))
        var answer = ""
        // The sync follows 100 ms later.
        let deadline = MonotonicTime.now + 30_000_000_000
        while !answer.hasPrefix("failed"), MonotonicTime.now < deadline { answer = try child.ask("append") ?? "" }
        #expect(answer.hasSuffix(" cannotWrite"))
        #expect(try child.ask("probe") == "unready cannotWrite")
        try disk.arm(nil)
        // Each descriptor still reports the failure once.
        var probe = ""
        for _ in 0..<5 where probe != "ready" { probe = try child.ask("probe") ?? "" }
        #expect(probe == "ready")
        #expect(try child.ask("append")?.hasPrefix("kept ") == true)
        #expect(try child.end() == 0)
    }
}
