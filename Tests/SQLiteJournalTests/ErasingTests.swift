import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

/// The bytes of an erased row are gone from the files, and what is left is whole.
@Suite struct ErasingTests {
    private static let mark = "ERASED-ROW"
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static func row(_ version: Int, _ key: String, _ value: String?) -> CommitRecord {
        CommitRecord(
            space: .main, version: version, at: Timestamp(microseconds: Int64(version)), action: "book/set",
            input: value.map { Array($0.utf8) },
            facts: [Fact(variable: "book.rows", entry: key, value: value.map { Array($0.utf8) })])
    }

    static func erasure(_ version: Int, _ key: String) -> CommitRecord {
        CommitRecord(
            space: .main, version: version, at: Timestamp(microseconds: Int64(version)), action: "space/erase",
            input: nil, facts: [Fact(variable: "book.rows", entry: key, value: nil)])
    }

    /// The files of the directory that have the bytes of a text.
    static func files(with text: String, in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { name in
            guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)") else { return false }
            return data.range(of: Data(text.utf8)) != nil
        }
    }

    // Law PRIV5
    @Test(arguments: [20, 3_000], Durability.allCases)
    func `the bytes of an erased row are in no file`(_ size: Int, _ durability: Durability) throws {
        let filler = String(repeating: "x", count: size)
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability, history: 50)
        var version = 0
        // Rows that are written again and again leave pages, and rows move between pages.
        for round in 0..<3 {
            var batch: [CommitRecord] = []
            for number in 0..<60 {
                version += 1
                let key = number % 4 == 1 ? "a" : "k\((number * 7 + round) % 40)"
                let text = key == "a" ? "\"\(Self.mark) \(version) \(filler)\"" : "\"\(version) \(filler)\""
                batch.append(Self.row(version, key, text))
            }
            _ = try journal.append(batch)
            _ = try journal.load(.main)
            try journal.settle()
        }
        #expect(try !Self.files(with: Self.mark, in: scratch.directory()).isEmpty)
        _ = try journal.append([Self.erasure(version + 1, "a")])
        #expect(try Self.files(with: Self.mark, in: scratch.directory()).isEmpty)
        try journal.settle()
        #expect(try Self.files(with: Self.mark, in: scratch.directory()).isEmpty)
        journal.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }

    /// The model keeps all commits, and drops the row from each at an erasure.
    @Test(arguments: 0..<12) func `random erasures leave the states of a model`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: .interval)
        var states: [[String: String]] = [[:]]
        for version in 1...120 {
            var state = states[version - 1]
            let key = "k\(Int.random(in: 0..<5, using: &random))"
            let record: CommitRecord
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                record = Self.erasure(version, key)
                state[key] = nil
                for past in states.indices { states[past][key] = nil }
            case 1:
                state = ["k1": "\(version)", "k2": "\(version)"]
                let whole = "{\"k1\":\(version),\"k2\":\(version)}"
                record = CommitRecord(
                    space: .main, version: version, at: Timestamp(microseconds: Int64(version)), action: "book/all",
                    input: nil, facts: [Fact(variable: "book.rows", value: Array(whole.utf8))])
            case 2, 3:
                record = Self.row(version, key, nil)
                state[key] = nil
            default:
                record = Self.row(version, key, "\(version)")
                state[key] = "\(version)"
            }
            states.append(state)
            #expect(try journal.append([record]) == [.kept])
            if Int.random(in: 0..<9, using: &random) == 0 {
                journal.maintenance.noticeTail(of: .main, id: 1)
                try journal.settle()
            }
        }
        for version in states.indices {
            guard case .state(let past, _) = try journal.load(.main, at: version) else {
                Issue.record("version \(version) is gone")
                continue
            }
            #expect(try Self.rows(past.facts) == states[version], "version \(version)")
        }
        journal.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }

    private static func rows(_ facts: [Fact]) throws -> [String: String] {
        var rows: [String: String] = [:]
        for fact in facts {
            guard let entry = fact.entry else {
                guard let value = fact.value else { continue }
                for (key, value) in try FactsText.entries(of: value) {
                    rows[key] = String(decoding: value, as: UTF8.self)
                }
                continue
            }
            rows[entry] = fact.value.map { String(decoding: $0, as: UTF8.self) }
        }
        return rows
    }

    @Test func `a journal that was stopped within an erasure overwrites the bytes at its next start`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        _ = try journal.append([Self.row(1, "a", "\"\(Self.mark)\"")])
        // The files after the transaction alone, as if the process had ended then: no other thread has the writer.
        let image = scratch.directory("image")
        try journal.maintenance.write { writer throws(JournalFailure) in
            _ = try writer.append([Self.erasure(2, "a")])
            #expect(throws: Never.self) {
                try FileManager.default.copyItem(atPath: scratch.directory(), toPath: image)
            }
        }
        journal.close()
        #expect(try !Self.files(with: Self.mark, in: image).isEmpty)
        let again = try SQLiteJournal(directory: image)
        try again.settle()
        #expect(try Self.files(with: Self.mark, in: image).isEmpty)
        again.close()
    }

    @Test func `an erased row is in no export`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        _ = try journal.append([Self.row(1, "a", "\"\(Self.mark)\""), Self.row(2, "b", "2"), Self.erasure(3, "a")])
        journal.close()
        var lines: [[UInt8]] = []
        try SQLiteJournal.export(scratch.directory()) { line throws(JournalFailure) in lines.append(line) }
        #expect(!lines.contains { String(decoding: $0, as: UTF8.self).contains(Self.mark) })
        var rest = lines[...]
        try SQLiteJournal.import(into: scratch.directory("copy")) { () throws(JournalFailure) in rest.popFirst() }
        #expect(try SQLiteJournal.check(scratch.directory("copy")).problems == [])
    }
}
