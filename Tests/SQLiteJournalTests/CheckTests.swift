import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

@Suite struct CheckTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let journal = try SQLiteJournal(directory: scratch.directory(), history: 250)
        _ = try journal.append((1...300).map { .counting($0, key: "k\($0)") })
        // Whoever loads it finds that its tail is long.
        _ = try journal.load(.main)
        try journal.settle()
        try journal.count(301...310)
        journal.close()
    }

    private func report() throws -> Report {
        try SQLiteJournal.check(scratch.directory())
    }

    @Test func `a journal that is whole is found so, and told in words`() throws {
        #expect(try report().isWhole)
        #expect(try report().description == "1 spaces, 260 commits, 300 answers kept for keys\nNothing is wrong.")
    }

    @Test(arguments: [
        ("DELETE FROM commits WHERE version = 100", "between 99 and 101 are missing"),
        ("DELETE FROM commits WHERE version = 51", "between 50 and 52 are missing"),
        ("DELETE FROM commits WHERE version > 290", "is at 300, its commits go from 50 to 290"),
        ("UPDATE commits SET action = 'counter/sub' WHERE version = 200", "commit 200 of the space main is not as it was written"),
        ("UPDATE commits SET changed = '{', sum = NULL WHERE version = 200", "commit 200 of the space main cannot be read"),
        ("UPDATE state SET value = '1'", "counter.count in the snapshot of the space main is not as it was written"),
        ("UPDATE state SET value = '1', sum = NULL", "is not what its commits make of it"),
        ("DELETE FROM state", "is not what its commits make of it"),
        ("INSERT INTO commits (space, version, at, action, changed) VALUES (7, 1, 0, '', '{}')", "1 rows of commits belong to no space"),
        ("UPDATE spaces SET name = '?'", "a space is named ?"),
    ])
    func `what is wrong is told`(_ sql: String, _ words: String) throws {
        try Connection(scratch.database(), .writing).execute(sql)
        let problems = try report().problems
        #expect(problems.contains { $0.contains(words) }, "\(problems)")
    }

    @Test func `a byte that changed in what is kept is found, wherever it is`() throws {
        // Without the room that was freed, where nobody would look.
        try Connection(scratch.database(), .writing).execute("VACUUM")
        let url = URL(fileURLWithPath: scratch.database())
        let whole = try Data(contentsOf: url)
        for place in stride(from: 101, to: whole.count, by: 4_099) {
            var data = whole
            data[place] ^= 0x10
            guard data[place] != whole[place], !isFree(place, in: whole) else { continue }
            try data.write(to: url)
            let problems = try #require(try? report().problems, "byte \(place)")
            #expect(!problems.isEmpty, "byte \(place)")
        }
    }

    /// Whether a byte is in the room that a page has left, where all is 0.
    private func isFree(_ place: Int, in data: Data) -> Bool {
        data[place..<min(data.count, place + 8)].allSatisfy { $0 == 0 }
    }

    @Test func `damage is told when it is read, and never served`() throws {
        try Connection(scratch.database(), .writing).execute("UPDATE commits SET changed = '{\"counter.count\":9}' WHERE version = 305")
        let journal = try SQLiteJournal(directory: scratch.directory())
        #expect(#expect(throws: JournalFailure.self) { try journal.load(.main) }?.kind == .damaged)
        #expect(#expect(throws: JournalFailure.self) { try journal.read(.main, after: 300, limit: 10) }?.kind == .damaged)
        #expect(try journal.append([.counting(311)]) == [.kept])
    }
}
