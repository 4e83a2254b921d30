import DiskFaults
import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

/// A journal on a file system that is read-only for the child process.
@Suite struct ReadOnlyTests {
    let scratch: Scratch
    let disk: FaultyDisk

    init() throws {
        scratch = try Scratch()
        disk = try FaultyDisk(in: scratch.path)
    }

    /// Returns the report of a check in another process.
    private func check() throws -> [String] {
        let child = try Child("check", disk.directory, on: disk)
        var lines: [String] = []
        while let line = child.line() { lines.append(line) }
        return lines
    }

    @Test(arguments: [false, true])
    func `check reads a journal on a read-only file system, with a log or without`(_ isKilled: Bool) throws {
        let child = try Child("endure", disk.directory, "commit")
        #expect(child.line() == "open 0")
        for version in 1...3 { #expect(try child.ask("append")?.hasPrefix("kept \(version) ") == true) }
        if isKilled {
            _ = child.kill()
            try FileManager.default.removeItem(atPath: disk.directory + "/journal.sqlite-shm")
        } else {
            #expect(try child.end() == 0)
        }
        let before = try FileManager.default.contentsOfDirectory(atPath: disk.directory).sorted()
        try disk.arm(.init(.open, error: EROFS, lasts: true))
        #expect(try check() == ["1 spaces, 3 commits, 0 answers kept for keys", "Nothing is wrong."])
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.directory).sorted() == before)
        try disk.arm(nil)
        try DatabaseConnection(disk.directory + "/journal.sqlite", .writing).execute("UPDATE spaces SET name = 'other'")
        try? FileManager.default.removeItem(atPath: disk.directory + "/journal.sqlite-shm")
        try disk.arm(.init(.open, error: EROFS, lasts: true))
        #expect(try check().contains { $0.contains("had another name") })
    }
}
