import Foundation
import SQLiteJournal
import StateStore
import Testing

@Suite struct OpeningTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func failure(_ directory: String? = nil) -> JournalFailure? {
        #expect(throws: JournalFailure.self) { try SQLiteJournal(directory: directory ?? scratch.directory()) }
    }

    /// A properly closed journal.
    private func fill(_ commits: Int = 10) throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...commits)
        journal.close()
    }

    private func change(_ body: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: scratch.database()))
        body(&data)
        try data.write(to: URL(fileURLWithPath: scratch.database()))
    }

    @Test func `commits are there after a restart`() throws {
        for version in 1...3 {
            let journal = try SQLiteJournal(directory: scratch.directory())
            #expect(try journal.load(.main)?.version ?? 0 == version - 1)
            try journal.count(version...version)
            journal.close()
        }
    }

    @Test func `after its end, every call fails`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        journal.close()
        journal.close()
        #expect(throws: JournalFailure.self) { try journal.append([.counting(1)]) }
        #expect(throws: JournalFailure.self) { try journal.load(.main) }
    }

    @Test func `a directory whose lock file was removed is still in use`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try FileManager.default.removeItem(atPath: scratch.directory() + "/lock")
        #expect(failure()?.kind == .locked)
        withExtendedLifetime(journal) {}
    }

    @Test func `a directory that has lost its database is refused`() throws {
        try fill()
        try FileManager.default.removeItem(atPath: scratch.database())
        #expect(failure()?.kind == .damaged)
        #expect(failure()?.description.contains("it is missing") == true)
    }

    @Test func `a directory whose parent is missing is not created`() {
        let failure = failure(scratch.path + "/no/data")
        #expect(failure?.kind == .unusable)
        #expect(failure?.description.contains("its parent directory does not exist") == true)
    }

    @Test func `a file in place of the directory is refused`() throws {
        try Data().write(to: URL(fileURLWithPath: scratch.directory()))
        #expect(failure()?.description.contains("is not a directory") == true)
    }

    @Test func `a directory that cannot be written is refused`() {
        // No file can be created there, not even by root.
        let failure = failure("/sys/kernel")
        #expect(failure?.kind == .unusable)
        #expect(failure?.description.hasPrefix("Nothing can be written in /sys/kernel") == true)
    }

    @Test func `a file that is no database is damaged`() throws {
        try fill()
        try change { $0.replaceSubrange(0..<16, with: Data("something else..".utf8)) }
        let failure = failure()
        #expect(failure?.kind == .damaged)
        #expect(failure?.description.contains("does not begin like a database") == true)
    }

    @Test func `a file whose end is missing is damaged`() throws {
        try fill(500)
        try change { $0.removeLast(5_000) }
        let failure = failure()
        #expect(failure?.kind == .damaged)
        #expect(failure?.description.contains("its end is missing") == true)
    }

    @Test func `a file with a broken table is damaged`() throws {
        try fill()
        try change { data in
            for place in 4_096..<data.count where place % 4_096 < 16 { data[place] = 0xFF }
        }
        #expect(failure()?.kind == .damaged)
    }

    @Test func `a crash before the first write leaves a new journal`() throws {
        try FileManager.default.createDirectory(atPath: scratch.directory(), withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: scratch.database()))
        try fill()
    }

    @Test func `the database of a newer program is left alone`() throws {
        try fill()
        // SQLite's file format, 1.3.14: the user version is at byte 60.
        try change { $0[63] = 8 }
        let before = try Data(contentsOf: URL(fileURLWithPath: scratch.database()))
        let failure = failure()
        #expect(failure?.kind == .newer)
        #expect(failure?.description.contains("newer Headwater (schema 8; this one knows 6)") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database())) == before)
    }

    @Test func `the database of another program is left alone`() throws {
        try fill()
        try change { $0[68] = 0 }
        #expect(failure()?.description.contains("the database of another program") == true)
    }
}
