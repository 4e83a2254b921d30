import SQLiteJournal
import StateStore
import Testing

@Suite struct ProcessTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test func `one process holds a directory, and its lock ends with it`() throws {
        let child = try Child("hold", scratch.directory())
        #expect(child.line() == "open")
        let failure = #expect(throws: JournalFailure.self) { try SQLiteJournal(directory: scratch.directory()) }
        #expect(failure?.kind == .locked)
        #expect(failure?.description.contains("process \(child.identifier)") == true)
        _ = child.kill()
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...1)
    }

    @Test func `one process cannot open a directory twice`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let failure = #expect(throws: JournalFailure.self) { try SQLiteJournal(directory: scratch.directory()) }
        #expect(failure?.kind == .locked)
        journal.close()
        try SQLiteJournal(directory: scratch.directory()).count(1...1)
    }

    @Test(arguments: Durability.allCases)
    func `a process killed during writes loses no acknowledged commit, and leaves no partial commit`(
        _ durability: Durability
    ) throws {
        var random = SplitMix64(seed: 7)
        var told = 0
        for _ in 0..<6 {
            let child = try Child("write", scratch.directory(), durability.rawValue)
            for _ in 0..<Int.random(in: 1...120, using: &random) { told = Int(try #require(child.line())) ?? 0 }
            if let last = child.kill().last { told = Int(last) ?? 0 }

            #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
            let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability)
            let kept = try #require(try journal.load(.main))
            // One more batch may be stored than was reported.
            #expect(kept.version >= told && kept.version <= told + 7)
            let values = kept.facts.filter { ["counter.one", "counter.two"].contains($0.variable) }.map(\.value)
            #expect(values == Array(repeating: Array("\(kept.version)".utf8), count: 2))
            journal.close()
        }
    }

    @Test(arguments: [120_000, 180_001, 400_000])
    func `on a full disk commits fail, reads go on, and writing resumes by itself`(_ bytes: Int) throws {
        let child = try Child("fill", scratch.directory(), "\(bytes)")
        let full = try #require(child.line()).split(separator: " ", maxSplits: 3)
        #expect(full.count == 4 && full[0] == "full" && full[2] == "cannotWrite", "\(full)")
        let version = try #require(Int(full[1]))
        #expect(version > 0)
        #expect(child.line() == "read \(version)")
        #expect(child.line() == "kept \(version + 1)")
        #expect(child.line() == nil)
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
        #expect(try SQLiteJournal(directory: scratch.directory()).load(.main)?.version == version + 1)
    }
}
