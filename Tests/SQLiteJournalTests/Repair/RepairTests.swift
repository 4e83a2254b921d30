import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

// Laws DAMAGE1, DAMAGE2, DAMAGE3.
@Suite struct RepairTests {
    let journal: DamagedJournal
    let a: SpaceName

    init() throws {
        journal = try DamagedJournal(seed: 28)
        a = try #require(SpaceName("a"))
    }

    private var scratch: Scratch { journal.scratch }

    private func repair(from backup: String? = nil) throws -> RepairReport {
        try journal.remove("saved")
        let report = try SQLiteJournal.repair(
            scratch.directory("damaged"), to: scratch.directory("saved"), from: backup.map { scratch.directory($0) })
        #expect(try SQLiteJournal.check(scratch.directory("saved")).problems == [])
        return report
    }

    private func change(_ sql: String) throws {
        try journal.damaged("damaged") { _ in }
        let connection = try DatabaseConnection(scratch.database("damaged"), .writing)
        try connection.execute(sql)
        #expect(connection.changes > 0)
    }

    @Test func `a whole journal is saved as it is`() throws {
        try journal.damaged("damaged") { _ in }
        #expect(try SQLiteJournal.check(scratch.directory("damaged")).problems == [])
        let report = try repair()
        #expect(report.isWhole && report.whole == 3 && report.description.hasSuffix("Nothing is damaged."))
        for (space, saved) in try journal.saved("saved") {
            #expect(saved.wrong == [] && saved.newest == journal.truth[space]?.last)
            #expect(saved.readable > DamagedJournal.history / DamagedJournal.step)
        }
    }

    @Test(
        "one changed bit on any page loses at most what the report names, and nothing of other spaces",
        arguments: [false, true])
    func everyPage(_ hasBackup: Bool) throws {
        let size = try Scratch.size(scratch.database())
        var random = SplitMix64(seed: hasBackup ? 2 : 1)
        var kinds: Set<UInt8> = []
        for page in stride(from: 0, to: size / 4_096, by: hasBackup ? 3 : 1) {
            var places = [[0, 4, 1, 6][page % 4], Int.random(in: 8..<4_096, using: &random)]
            if page == 0 { places = [5, 17, 35, 63, 71, 100, 104, 4_000] } else { places = [places[page / 4 % 2]] }
            for place in places {
                let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
                let offset = page * 4_096 + place
                try journal.damaged("damaged") { bytes in
                    kinds.insert(bytes[page * 4_096])
                    bytes[offset] ^= bit
                }
                let report: RepairReport
                do {
                    report = try repair(from: hasBackup ? "backup" : nil)
                } catch let failure as JournalFailure where failure.kind == .newer && page == 0 {
                    // The number of the schema became that of a newer program.
                    continue
                }
                let words: Comment = "page \(page + 1), byte \(place), bit \(bit): \(report)"
                let saved = try journal.saved("saved")
                for (space, truth) in journal.truth {
                    let one = try #require(saved[space], words)
                    let named = report.losses.filter { $0.space == space }
                    let isNewestNamed = named.contains { $0.versions?.contains(truth.count - 1) ?? false }
                    #expect(one.version == truth.count - 1 || one.version == truth.count - 2 && isNewestNamed, words)
                    if one.newest != truth.last || !one.wrong.isEmpty {
                        // The value of one place, from one lost version on, and only where the report says so.
                        let versions = named.compactMap(\.versions)
                        let first = versions.map(\.lowerBound).min() ?? .max
                        let isNamed = report.rebuilt.contains(space) && (one.wrong.min() ?? .max) >= first
                        #expect(isNamed, "\(one.wrong), \(words)")
                    }
                    if !report.rebuilt.contains(space) {
                        #expect(one.wrong == [] && one.newest == truth.last, words)
                    }
                }
            }
        }
        // Leaves and inner pages of tables and indices; the other numbers are overflow and unused pages.
        #expect(hasBackup || kinds.isSuperset(of: [0x0D, 0x0A, 0x05, 0x02]) && kinds.count > 4, "\(kinds)")
    }

    @Test(
        "a damaged row is named by its space, its versions, its table and its key",
        arguments: [
            (
                "UPDATE runs SET commits = replace(commits, 'a/do', 'a/go') WHERE space = 1 AND last = 100", "runs",
                100, nil
            ),
            ("UPDATE state SET value = '77' WHERE space = 1 AND variable = 'a.value'", "state", nil, "a.value"),
            (
                "UPDATE past SET value = '77' WHERE rowid_of(1)", "past", nil, nil
            ),
            ("UPDATE answers SET fingerprint = 1 WHERE space = 1 AND key = 'k88'", "answers", 88, "k88"),
            ("UPDATE alarms SET at = at + 1 WHERE space = 1", "alarms", nil, nil),
            ("UPDATE spaces SET name = 'q' WHERE id = 1", "spaces", nil, nil),
        ] as [(String, String, Int?, String?)])
    func names(_ sql: String, _ table: String, _ version: Int?, _ key: String?) throws {
        let statement = sql.replacingOccurrences(
            of: "rowid_of(1)",
            with: "space = 1 AND until = (SELECT max(until) FROM past WHERE space = 1 AND value <> '77')")
        try change(statement)
        let report = try repair()
        let loss = try #require(report.losses.first { $0.table == table }, "\(report)")
        #expect(loss.space == a && report.rebuilt == [a], "\(report)")
        if let version { #expect(loss.versions == version...version) }
        if let key { #expect(loss.key == key) }
        #expect(report.description.contains("space a") && report.description.contains("table \(table)"))
        let saved = try journal.saved("saved")
        // The commits and the past know what the snapshot has lost, and the other way round.
        #expect(saved[a]?.newest == journal.truth[a]?.last && saved[a]?.wrong == [], "\(report)")
        if table == "answers" { #expect(saved[a]?.keys.contains("k88") == true, "its commit has the key too") }
    }

    @Test func `a page that is lost makes the oldest state of each space that is made anew a loss`() throws {
        let count = try Scratch.size(scratch.database()) / 4_096
        var found = 0
        for page in 1..<count where found < 6 {
            try journal.damaged("damaged") { bytes in
                bytes.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
            }
            let report = try repair()
            // The page of one run names its versions, and had no other rows.
            guard report.losses.contains(where: { $0.space == nil }) else { continue }
            for space in report.rebuilt {
                found += 1
                #expect(
                    report.losses.contains { $0.space == space && $0.table == "state" && $0.versions?.count == 1 },
                    "page \(page + 1): \(report)")
            }
        }
        #expect(found >= 6)
    }

    @Test func `a version behind the snapshot is lost without a backup, and saved with one`() throws {
        let newest = try #require(journal.truth[a]?.count) - 1
        try change("UPDATE runs SET commits = replace(commits, 'a/do', 'a/go') WHERE space = 1 AND last = \(newest)")
        let report = try repair()
        #expect(report.losses.contains { $0.versions == newest...newest })
        #expect(try journal.saved("saved")[a]?.version == newest - 1)
        try change(
            "UPDATE runs SET commits = replace(commits, 'a/do', 'a/go') WHERE space = 1 AND last = \(newest - 3)")
        let second = try repair()
        #expect(
            second.losses.contains { $0.versions == newest - 3...newest - 3 && $0.reason.contains("with its changes") })
        let saved = try #require(try journal.saved("saved")[a])
        #expect(saved.version == newest && !saved.wrong.isEmpty && saved.wrong.allSatisfy { $0 >= newest - 3 })
        // A backup that was made before the damage has the commit.
        _ = try SQLiteJournal.backup(scratch.directory(), to: scratch.directory("newer"))
        _ = try repair(from: "newer")
        #expect(try journal.saved("saved")[a]?.wrong == [])
        #expect(try journal.saved("saved")[a]?.version == newest)
    }

    @Test func `rows of the oldest state come from a backup`() throws {
        try change("UPDATE state SET value = '77' WHERE space = 1; UPDATE past SET value = '77' WHERE space = 1")
        let report = try repair(from: "backup")
        #expect(report.losses.count > 20)
        let saved = try #require(try journal.saved("saved")[a])
        #expect(saved.wrong == [] && saved.newest == journal.truth[a]?.last, "\(saved.wrong)")
    }

    @Test func `a file without its beginning is saved`() throws {
        try journal.damaged("damaged") { bytes in for place in 0..<4_096 { bytes[place] = 0 } }
        #expect(throws: JournalFailure.self) { try SQLiteJournal(directory: scratch.directory("damaged")) }
        let report = try repair()
        #expect(report.rebuilt.count == 3)
        for (space, saved) in try journal.saved("saved") {
            #expect(saved.wrong == [] && saved.newest == journal.truth[space]?.last)
        }
    }

    @Test func `acknowledged commits behind a damaged frame of the log are saved`() throws {
        let child = try Child("endure", scratch.directory("damaged"), "commit")
        #expect(child.line() == "open 0")
        for version in 1...20 { #expect(try child.ask("append")?.hasPrefix("kept \(version) ") == true) }
        _ = child.kill()
        let log = URL(fileURLWithPath: scratch.database("damaged") + "-wal")
        var bytes = try Data(contentsOf: log)
        bytes[32 + 24 + 40 * 4_120 + 2_000] ^= 1
        try bytes.write(to: log)
        #expect(throws: JournalFailure.self) { try SQLiteJournal(directory: scratch.directory("damaged")) }
        let report = try repair()
        #expect(report.losses.contains { $0.reason.contains("of the log is damaged") })
        let saved = try SQLiteJournal(directory: scratch.directory("saved"))
        let spaces = try saved.spaces(after: nil, limit: 10)
        #expect(spaces.map(\.version) == [20], "\(spaces)")
    }

    @Test func `an export that skips damage has what a repair saves`() throws {
        try change("UPDATE answers SET fingerprint = 1 WHERE space = 1 AND key = 'k88'")
        var lines: [[UInt8]] = []
        let failure = #expect(throws: JournalFailure.self) {
            try SQLiteJournal.export(scratch.directory("damaged")) { line throws(JournalFailure) in lines.append(line) }
        }
        #expect(failure?.kind == .damaged)
        #expect(throws: JournalFailure.self) { try load(lines, into: "cut") }
        var readable: [[UInt8]] = []
        let report = try SQLiteJournal.exportReadable(scratch.directory("damaged")) { line throws(JournalFailure) in
            readable.append(line)
        }
        #expect(report.losses.map(\.key) == ["k88"])
        try load(readable, into: "skipped")
        _ = try repair()
        let saved = try export("saved")
        #expect(saved == readable)
        #expect(try export("skipped") == saved)
    }

    @Test func `an import of a part of an export is refused`() throws {
        let lines = try export("data")
        for count in [0, 1, 2, lines.count / 2, lines.count - 1] {
            let failure = #expect(throws: JournalFailure.self) {
                try load(Array(lines.prefix(count)), into: "part\(count)")
            }
            #expect(failure?.kind == .damaged)
        }
        for without in [0, 1, lines.count / 2] {
            var some = lines
            some.remove(at: without)
            #expect(throws: JournalFailure.self) { try load(some, into: "without\(without)") }
        }
        try load(lines, into: "whole")
        #expect(try export("whole") == lines)
    }

    @Test func `an export of a journal without spaces can be imported, and no lines cannot`() throws {
        try SQLiteJournal(directory: scratch.directory("empty")).close()
        let lines = try export("empty")
        #expect(lines.count == 1)
        try load(lines, into: "empty too")
        #expect(throws: JournalFailure.self) { try load([], into: "nothing") }
    }

    private func export(_ name: String) throws -> [[UInt8]] {
        var lines: [[UInt8]] = []
        try SQLiteJournal.export(scratch.directory(name)) { line throws(JournalFailure) in lines.append(line) }
        return lines
    }

    private func load(_ lines: [[UInt8]], into name: String) throws {
        var rest = lines[...]
        try SQLiteJournal.import(into: scratch.directory(name)) { () throws(JournalFailure) in rest.popFirst() }
    }
}
