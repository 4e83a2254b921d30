import Foundation
import Platform
@testable import SQLiteJournal
import StateStore
import Synchronization
import Testing

/// Law D11: a backup is complete and consistent, and contains every commit that was acknowledged before it began.
@Suite struct BackupTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func backUp(to name: String = "copy") throws {
        _ = try SQLiteJournal.backup(scratch.directory(), to: scratch.directory(name))
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
    }

    @Test(arguments: [false, true])
    func `a backup has every commit, and begins a new era`(isInUse: Bool) throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...300)
        _ = try journal.append([.counting(301, key: "k")])
        if !isInUse { journal.close() }
        try backUp()
        #expect(try SQLiteJournal.check(scratch.directory("copy")).problems == [])
        let copy = try SQLiteJournal(directory: scratch.directory("copy"))
        #expect(
            try copy.load(.main)
                == StoredSpace(version: 301, facts: [Fact(variable: "counter.count", value: Array("301".utf8))]))
        #expect(try copy.answer(.main, key: "k", since: Timestamp(microseconds: 0))?.version == 301)
        #expect(copy.lives.era != journal.lives.era && copy.digestKey == journal.digestKey)
        #expect(try names() == ["copy", "data"])
        journal.close()
    }

    @Test func `a backup into the directory itself is refused, and leaves nothing`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...3)
        let before = try FileManager.default.contentsOfDirectory(atPath: scratch.directory()).sorted()
        for name in ["data/copy", "data/../data/copy"] {
            let failure = #expect(throws: JournalFailure.self) { try backUp(to: name) }
            #expect(failure?.description.contains("lies in") == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.directory()).sorted() == before)
        journal.close()
    }

    @Test func `unknown files in the directory of the draft are neither copied nor removed`() throws {
        try SQLiteJournal(directory: scratch.directory()).close()
        let draft = scratch.directory("copy.partial")
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        try Data("x".utf8).write(to: URL(fileURLWithPath: draft + "/notes"))
        let failure = #expect(throws: JournalFailure.self) { try backUp() }
        #expect(failure?.description.contains("holds notes") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: draft) == ["notes"])
        #expect(try names() == ["copy.partial", "data"])
    }

    @Test(arguments: ["cp -a", "mv"])
    func `a copy of a backup that replaces the journal begins a new era too`(_ command: String) throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...3)
        try backUp()
        journal.close()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", "rm -r $0/data; \(command) $0/copy $0/data", scratch.path]
        try process.run()
        process.waitUntilExit()
        let restored = try SQLiteJournal(directory: scratch.directory())
        #expect(try restored.load(.main)?.version == 3)
        #expect(restored.lives.era != journal.lives.era)
    }

    @Test func `a backup ends while eight writers append, and is consistent`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: .none)
        let spaces = try (0..<8).map { try #require(SpaceName("s\($0)")) }
        // Larger than one step, so that writes happen between two steps.
        let filler = Array(("\"" + String(repeating: "x", count: 10_000) + "\"").utf8)
        @Sendable func commit(_ version: Int, of space: SpaceName) -> CommitRecord {
            CommitRecord(
                space: space, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
                facts: [
                    Fact(variable: "a.text", value: filler),
                    Fact(variable: "a.version", value: Array("\(version)".utf8)),
                ])
        }
        for version in 1...20 { _ = try journal.append(spaces.map { commit(version, of: $0) }) }
        let isOver = Atomic(false)
        let answered = Lock(Array(repeating: 20, count: 8))
        let failures = Lock<[String]>([])
        var before: [Int] = []
        let group = DispatchGroup()
        for index in 0..<8 {
            group.enter()
            let thread = Foundation.Thread {
                defer { group.leave() }
                do {
                    var version = 20
                    while !isOver.load(ordering: .relaxed), version < 1_500 {
                        version += 1
                        _ = try journal.append([commit(version, of: spaces[index])])
                        answered.withLock { $0[index] = version }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            thread.start()
        }
        while answered.withLock({ $0.contains { $0 < 22 } }) { sched_yield() }
        before = answered.withLock { $0 }
        try backUp()
        isOver.store(true, ordering: .relaxed)
        group.wait()
        journal.close()
        #expect(failures.withLock { $0 } == [])
        #expect(try SQLiteJournal.check(scratch.directory("copy")).problems == [])
        let copy = try SQLiteJournal(directory: scratch.directory("copy"))
        let after = try SQLiteJournal(directory: scratch.directory())
        for (index, space) in spaces.enumerated() {
            let version = try #require(try copy.load(space)).version
            #expect(version >= before[index])
            #expect(try version < #require(try after.load(space)).version, "the others went on")
        }
    }

    @Test func `a backup replaces nothing, and leaves nothing if it fails`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...3)
        try FileManager.default.createDirectory(atPath: scratch.directory("copy"), withIntermediateDirectories: false)
        let failure = #expect(throws: JournalFailure.self) { try backUp() }
        #expect(failure?.description.contains("exists already") == true)
        #expect(throws: JournalFailure.self) { try backUp(to: "nowhere/copy") }
        #expect(throws: JournalFailure.self) {
            try SQLiteJournal.backup(scratch.directory("no"), to: scratch.directory("copy2"))
        }
        #expect(try names() == ["copy", "data"])
        withExtendedLifetime(journal) {}
    }

    @Test func `a backup starts after a killed one, and not beside a running one`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...3)
        let partial = scratch.directory("copy.partial")
        try FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: false)
        try Data("half".utf8).write(to: URL(fileURLWithPath: partial + "/journal.sqlite"))
        do {
            let other = try DirectoryLock(JournalDirectory(path: partial))
            #expect(#expect(throws: JournalFailure.self) { try backUp() }?.kind == .locked)
            _ = consume other
        }
        try backUp()
        #expect(try SQLiteJournal.check(scratch.directory("copy")).commits == 3)
        withExtendedLifetime(journal) {}
    }
}
