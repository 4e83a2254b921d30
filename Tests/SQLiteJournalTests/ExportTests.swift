@testable import SQLiteJournal
import StateStore
import Testing

@Suite struct ExportTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func export(_ name: String = "data", space: SpaceName? = nil) throws -> [String] {
        var lines: [String] = []
        try SQLiteJournal.export(scratch.directory(name), space: space) {
            lines.append(String(decoding: $0, as: UTF8.self))
        }
        return lines
    }

    private func load(_ lines: [String], into name: String) throws {
        var rest = lines[...]
        try SQLiteJournal.import(into: scratch.directory(name)) { rest.popFirst().map { Array($0.utf8) } }
    }

    private func fill(history: Int, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let journal = try SQLiteJournal(directory: scratch.directory(), history: history)
        for (index, name) in ["main", "a.b", "Z", "long-ago"].enumerated() {
            let space = try #require(SpaceName(name))
            for version in 1...[400, 3, 1, 300][index] {
                let key = version % 3 == 0 ? Idempotency(key: "k\(version % 399)", fingerprint: random.next()) : nil
                _ = try journal.append([
                    CommitRecord(
                        space: space, version: version, at: Timestamp(microseconds: Int64(version)), action: "a/b",
                        input: version % 2 == 0 ? Array(#"{"x":1.0}"#.utf8) : nil,
                        facts: RandomFacts.make(using: &random),
                        idempotency: key,
                        leavesWork: name == "a.b" || version % 100 == 50)
                ])
            }
        }
        for name in ["main", "long-ago"] { _ = try journal.load(try #require(SpaceName(name))) }
        // Answers that no commit contains, the second with a key that a commit has too.
        for key in ["nothing", "k399"] {
            _ = try journal.append([
                CommitRecord(
                    space: .main, version: 400, at: Timestamp(microseconds: 1_000), action: "a/b", input: nil,
                    facts: [],
                    idempotency: Idempotency(key: key, fingerprint: 5))
            ])
        }
        try journal.settle()
        journal.close()
    }

    @Test(arguments: [10_000, 50, 0], [1, 2] as [UInt64])
    func `an import of an export is an equal journal`(_ history: Int, _ seed: UInt64) throws {
        try fill(history: history, seed: seed)
        let lines = try export()
        try load(lines, into: "copy")
        #expect(try SQLiteJournal.check(scratch.directory("copy")).problems == [])
        #expect(try export("copy") == lines)

        let one = try SQLiteJournal(directory: scratch.directory())
        let other = try SQLiteJournal(directory: scratch.directory("copy"))
        #expect(try one.spaces(after: nil, limit: 10).map(\.name) == other.spaces(after: nil, limit: 10).map(\.name))
        #expect(try one.spacesWithWork(after: nil, limit: 10).map(\.description) == ["a.b"])
        #expect(try other.spacesWithWork(after: nil, limit: 10).map(\.description) == ["a.b"])
        for (space, version) in try one.spaces(after: nil, limit: 10) {
            let (kept, copied) = (try #require(try one.load(space)), try #require(try other.load(space)))
            #expect(kept.version == version && copied.version == version)
            #expect(Set(kept.facts) == Set(copied.facts))
            #expect(try one.read(space, after: 0, limit: 1_000) == other.read(space, after: 0, limit: 1_000))
            #expect(try one.read(space, after: 390, limit: 1_000) == other.read(space, after: 390, limit: 1_000))
            for key in (0..<400).map({ "k\($0)" }) + ["nothing"] {
                let since = Timestamp(microseconds: 0)
                #expect(try one.answer(space, key: key, since: since) == other.answer(space, key: key, since: since))
            }
        }
    }

    @Test func `one space can be exported alone, while a server uses the directory`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...2)
        try journal.count(1...1, of: try #require(SpaceName("other")))
        #expect(
            try export(space: SpaceName("other")) == [
                #"{"space":"other","version":1,"at":0,"action":"counter/add","changed":{"counter.count":1},"export":3,"lines":1}"#
            ])
        let failure = #expect(throws: JournalFailure.self) { try export(space: SpaceName("third")) }
        #expect(failure?.description.contains("There is no space third") == true)
        #expect(throws: JournalFailure.self) { try export("nowhere") }
        withExtendedLifetime(journal) {}
    }

    @Test(arguments: [
        (
            #"{"space":"main","version":2,"at":0,"action":"a/b","changed":{"a.b":1}}"#,
            "Line 2 cannot be imported: version 2 of the space main cannot follow 0"
        ),
        (
            #"{"space":"x","version":3,"at":0,"action":"a/b","changed":{"a.b":1}}"#,
            "version 3 of the space x cannot follow 1"
        ),
        (#"{"space":"x","version":1"#, "Line 2 cannot be imported: the JSON ends too early"),
        (
            #"{"space":"-","version":1,"at":0,"action":"a/b","changed":{"a.b":1}}"#,
            "Line 2 cannot be imported: the value must be a letter"
        ),
        (
            #"{"space":"main","version":1,"at":0,"action":"a/b","changed":{}}"#,
            "version 1 of the space main changes nothing"
        ),
        (#"{"space":"main","version":1,"at":0,"action":"a/b"}"#, #"the member "changed" is missing"#),
        (
            #"{"space":"main","version":1,"at":0,"action":"a/b","changed":{"a":1},"partial":["a"]}"#,
            "Line 2 cannot be imported"
        ),
        (
            #"{"space":"main","snapshot":3,"oldest":2,"changed":{}}"#,
            "commits of the space main up to its snapshot at 3 do not follow"
        ),
        (#"{"space":"x","snapshot":3,"oldest":2,"changed":{}}"#, "the space x has begun before"),
        (
            #"{"space":"main","answer":"k","fingerprint":"1","version":1,"changed":[],"at":0}"#,
            "the space main has no line before"
        ),
        ("", "Line 2 cannot be imported: the JSON ends too early"),
    ])
    func `an invalid line is reported by number, and nothing is imported`(_ line: String, _ words: String) throws {
        let first = #"{"space":"x","version":1,"at":0,"action":"a/b","changed":{"a.b":1}}"#
        let failure = #expect(throws: JournalFailure.self) { try load([first, line], into: "copy") }
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
        let journal = try SQLiteJournal(directory: scratch.directory("copy"))
        #expect(try journal.spaces(after: nil, limit: 1).isEmpty)
    }

    @Test func `an import does not replace a journal with spaces`() throws {
        try SQLiteJournal(directory: scratch.directory()).count(1...1)
        let failure = #expect(throws: JournalFailure.self) { try load([], into: "data") }
        #expect(failure?.description.contains("has spaces already") == true)
    }

    @Test func `an unused directory accepts an import, and begins a new era`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let line = #"{"space":"main","version":1,"at":0,"action":"a/b","changed":{"a.b":1}}"#
        #expect(#expect(throws: JournalFailure.self) { try load([line], into: "data") }?.kind == .locked)
        journal.close()
        try load([line], into: "data")
        let again = try SQLiteJournal(directory: scratch.directory())
        #expect(again.lives.era != journal.lives.era)
        #expect(try again.load(.main)?.version == 1)
    }
}
