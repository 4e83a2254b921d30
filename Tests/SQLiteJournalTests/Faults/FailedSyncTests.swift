import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

@Suite struct FailedSyncTests {
    let scratch: Scratch
    let disk: FaultyDisk

    init() throws {
        scratch = try Scratch()
        disk = try FaultyDisk(scratch)
    }

    private func begin(_ durability: Durability = .commit) throws -> Child {
        let child = try Child("endure", disk.directory, durability.rawValue, on: disk)
        #expect(child.line() == "open 0")
        return child
    }

    /// The versions and inputs of the commits that are there after a loss of power, when every sync that failed has dropped what it was to sync.
    private func commits(_ name: String = "image", seed: UInt64 = 1) throws -> [String] {
        var image = DiskImage(seed: seed)
        for event in try disk.trace { image.take(event) }
        image.cut(.nothing)
        try image.write(to: scratch.directory(name))
        #expect(try SQLiteJournal.check(scratch.directory(name) + "/data").problems == [])
        let journal = try SQLiteJournal(directory: scratch.directory(name) + "/data")
        defer { journal.close() }
        guard case .commits(let commits) = try journal.read(.main, after: 1_100, limit: .max) else { return [] }
        return commits.map { "\($0.version) \(String(decoding: $0.input ?? [], as: UTF8.self).dropFirst().dropLast())" }
    }

    @Test func `what is acknowledged after a failed sync is there after a loss of power`() throws {
        let child = try begin()
        #expect(try child.ask("fill") == "kept 1100")
        // Snapshots are brought forward, and are in the log without a sync.
        #expect(try child.ask("settle") == "settled")
        try disk.arm(.init(call: .sync, files: [.log]))
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
}
