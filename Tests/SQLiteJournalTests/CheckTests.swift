import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

@Suite struct CheckTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let journal = try SQLiteJournal(directory: scratch.directory(), history: 250)
        for first in stride(from: 1, to: 300, by: 10) {
            _ = try journal.append((first..<first + 10).map { .counting($0, key: "k\($0)") })
        }
        // A load finds its long tail.
        _ = try journal.load(.main)
        try journal.settle()
        try journal.count(301...310)
        journal.close()
    }

    private func report() throws -> CheckReport {
        try SQLiteJournal.check(scratch.directory())
    }

    @Test func `a healthy journal has no problems`() throws {
        #expect(try report().isWhole)
        #expect(try report().description == "1 spaces, 260 commits, 300 answers kept for keys\nNothing is wrong.")
    }

    @Test(arguments: [
        ("DELETE FROM runs WHERE last = 100", "between 90 and 101 are missing"),
        ("DELETE FROM runs WHERE last = 60", "between 50 and 61 are missing"),
        ("DELETE FROM runs WHERE last > 290", "is at 300, its commits go from 50 to 290"),
        (
            "UPDATE runs SET commits = json_remove(commits, '$[3]'), sum = NULL WHERE last = 200",
            "between 193 and 195 are missing"
        ),
        (
            "UPDATE runs SET commits = json_remove(commits, '$[9]'), sum = NULL WHERE last = 200",
            "after 199 are missing"
        ),
        (
            "UPDATE runs SET commits = replace(commits, 'counter/add', 'counter/sub') WHERE last = 200",
            "one of the commits 191 to 200 of the space main is not as it was written"
        ),
        (
            "UPDATE runs SET commits = '[{', sum = NULL WHERE last = 200",
            "one of the commits 191 to 200 of the space main cannot be read"
        ),
        (
            #"UPDATE runs SET commits = json_set(commits, '$[4].partial', json('["counter.count"]')), sum = NULL WHERE last = 200"#,
            "commit 195 of the space main cannot be read"
        ),
        (
            #"UPDATE runs SET leaves = '{"counter.count":1}' WHERE last = 310"#,
            "one of the commits 301 to 310 of the space main is not as"
        ),
        (
            #"UPDATE runs SET leaves = '{"counter.count":1}', sum = NULL WHERE last = 310"#,
            "The final values of the commits 301 to 310 of the space main are not those of its commits"
        ),
        ("UPDATE state SET value = '1'", "counter.count in the snapshot of the space main is not as it was written"),
        ("UPDATE state SET value = '1', sum = NULL", "differs from its commits"),
        ("DELETE FROM state", "differs from its commits"),
        ("INSERT INTO runs (space, first, last, commits) VALUES (7, 1, 1, '[]')", "1 rows of runs belong to no space"),
        ("UPDATE spaces SET name = '?'", "a space is named ?"),
        ("UPDATE spaces SET name = 'other'", "The row of the space other in spaces is not as it was written"),
        (
            "DELETE FROM runs WHERE last = 310",
            "The newest commits of the space main are missing: it is at 300 and was at 310"
        ),
        (
            "UPDATE runs SET before_last = 1 WHERE last = 310",
            "one of the commits 301 to 310 of the space main is not as it was written"
        ),
    ])
    func `each kind of damage has its own words`(_ sql: String, _ words: String) throws {
        try DatabaseConnection(scratch.database(), .writing).execute(sql)
        let problems = try report().problems
        #expect(problems.contains { $0.contains(words) }, "\(problems)")
    }

    @Test func `a byte that changed anywhere is found`() throws {
        // Freed pages are excluded, because no reader looks there.
        try DatabaseConnection(scratch.database(), .writing).execute("VACUUM")
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

    /// Returns true if a byte is in the unused part of a page, where every byte is 0.
    private func isFree(_ place: Int, in data: Data) -> Bool {
        data[place..<min(data.count, place + 8)].allSatisfy { $0 == 0 }
    }

    @Test func `a missing newest run of a space is found, also after commits of another space`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let other = try #require(SpaceName("other"))
        for version in 1...3 {
            _ = try journal.append([.counting(310 + version), .counting(version, of: other)])
        }
        #expect(try report().problems == [])
        // The server has not ended, so the newest run is not stored yet.
        try DatabaseConnection(scratch.database(), .writing).execute("DELETE FROM runs WHERE last = 313")
        #expect(
            try report().problems == ["The newest commits of the space main are missing: it is at 312 and was at 313"])
    }

    @Test func `a deleted space is not reported as missing, nor a new space of its name`() throws {
        for _ in 1...2 {
            let journal = try SQLiteJournal(directory: scratch.directory(), history: 0)
            let version = try journal.load(.main)?.version ?? 0
            try journal.count(version + 1...version + 2)
            #expect(try journal.forget(.main))
            try journal.settle()
            _ = try journal.append([.counting(1)])
            journal.close()
            #expect(try report().problems == [])
        }
    }

    @Test func `damage is reported when it is read, and never served`() throws {
        try DatabaseConnection(scratch.database(), .writing).execute(
            "UPDATE runs SET commits = replace(commits, ':305', ':9') WHERE last = 310")
        let journal = try SQLiteJournal(directory: scratch.directory())
        #expect(#expect(throws: JournalFailure.self) { try journal.load(.main) }?.kind == .damaged)
        #expect(
            #expect(throws: JournalFailure.self) { try journal.read(.main, after: 300, limit: 10) }?.kind == .damaged)
        #expect(try journal.append([.counting(311)]) == [.kept])
    }
}
