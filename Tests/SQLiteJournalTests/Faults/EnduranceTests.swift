import DiskFaults
import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

/// A journal whose disk fails in every kind of call. Each reported outcome of a commit is true after a power loss.
/// `Scripts/crash` lets each call fail once and permanently, at its first and at its third time, with two images of the
/// disk. The normal tests try one of these combinations.
@Suite struct EnduranceTests {
    /// A kind of call on the relevant files, and its error.
    static let faults: [(FaultyDisk.Call, [FaultyDisk.File], Int32)] = [
        (.write, [.log], EIO), (.write, [.log], ENOSPC), (.write, [.log], 0), (.write, [.database], EIO),
        (.write, [.database], ENOSPC),
        (.write, [.index], ENOSPC), (.sync, [.log], EIO), (.sync, [.database], EIO),
        (.truncate, [.log, .database, .index], EIO),
        (.read, [.log], EIO), (.read, [.database], EIO), (.open, [.log, .database, .index], EIO),
    ]

    private static let isLong = ProcessInfo.processInfo.environment["HEADWATER_POWER_CUTS"] != nil

    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test(arguments: faults.indices, isLong ? [false, true] : [true])
    func `each reported outcome of a commit is true after any call has failed`(_ fault: Int, _ lasts: Bool) throws {
        let (call, files, error) = Self.faults[fault]
        let disk = try FaultyDisk(in: scratch.path)
        let child = try Child("endure", disk.directory, "commit", on: disk)
        #expect(child.line() == "open 0")
        var answers: [String] = []
        func ask(_ order: String) throws { answers.append(try #require(try child.ask(order))) }
        for passes in Self.isLong ? [0, 2] : [0] {
            try ask("fill")
            try disk.arm(.init(call, of: files, error: error, passes: passes, lasts: lasts))
            for order in ["append", "append", "settle", "append", "probe", "append"] { try ask(order) }
            try disk.arm(nil)
            for order in ["probe", "append"] { try ask(order) }
            #expect(answers.last?.hasPrefix("kept ") == true, "\(answers)")
        }
        _ = child.kill()
        for seed in UInt64(1)...(Self.isLong ? 2 : 1) {
            var image = try DiskImage(seed: seed)
            for event in try DiskEvent.read(disk.trace, root: disk.root) { image.take(event) }
            image.cut(seed == 1 ? .nothing : .someSectors)
            try look(image, answers)
        }
    }

    private func look(_ image: DiskImage, _ answers: [String]) throws {
        let folder = scratch.directory("image")
        try image.write(to: folder)
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") } }
        let journal = try SQLiteJournal(directory: folder + "/data", history: .max)
        guard case .commits(let commits) = try journal.read(.main, after: 0, limit: .max) else { return }
        journal.close()
        let attempts = commits.map { String(decoding: $0.input ?? [], as: UTF8.self).filter { $0 != "\"" } }
        #expect(commits.map(\.version) == Array(1..<commits.count + 1))
        for answer in answers {
            let words = answer.split(separator: " ").map(String.init)
            guard words.count > 2 else { continue }
            let count = attempts.filter { $0 == words[2] }.count
            switch (words[0], words.last) {
            case ("kept", _): #expect(count == 1, "\(answer)")
            case ("failed", "outcomeUnknown"): #expect(count <= 1, "\(answer)")
            case ("failed", _): #expect(count == 0, "\(answer)")
            default: break
            }
        }
        #expect(try SQLiteJournal.check(folder + "/data").problems == [])
    }
}
