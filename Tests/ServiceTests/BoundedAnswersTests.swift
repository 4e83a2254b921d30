import HTTP
import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// The bytes of each answer have a bound, whatever a journal holds and a client asks for.
@Suite struct BoundedAnswersTests {
    private func commit(_ version: Int, _ space: SpaceName, bytes: Int) -> CommitRecord {
        let value = [UInt8(ascii: "\"")] + [UInt8](repeating: UInt8(ascii: "x"), count: bytes) + [UInt8(ascii: "\"")]
        return CommitRecord(
            space: space, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
            facts: [Fact(variable: "a", value: value)])
    }

    private func records(_ page: ChangePage) throws -> (records: [CommitRecord], isWhole: Bool) {
        guard case .commits(let records, let isWhole) = page else { throw NoCommits() }
        return (records, isWhole)
    }

    private struct NoCommits: Error {}

    private static func size(_ record: CommitRecord) -> Int { record.facts.reduce(0) { $0 + ($1.value?.count ?? 0) } }

    @Test func `a page of large commits ends with the commit that reaches 4 MiB, and the next begins there`() throws {
        let journal = MemoryJournal(history: 1_000)
        let space = try #require(SpaceName("large"))
        let megabyte = 1_024 * 1_024
        for version in 1...10 { _ = try journal.append([commit(version, space, bytes: megabyte)]) }
        let first = try records(
            ChangePage(of: space, after: 0, limit: ChangePage.commitsLimit, journal, size: Self.size))
        #expect(first.records.map(\.version) == [1, 2, 3, 4] && !first.isWhole)
        let second = try records(
            ChangePage(of: space, after: 4, limit: ChangePage.commitsLimit, journal, size: Self.size))
        #expect(second.records.map(\.version) == [5, 6, 7, 8] && !second.isWhole)
        let last = try records(
            ChangePage(of: space, after: 8, limit: ChangePage.commitsLimit, journal, size: Self.size))
        #expect(last.records.map(\.version) == [9, 10] && last.isWhole)
    }

    @Test func `a page of commits that show nothing ends with the commit that brings them to 32 MiB`() throws {
        let journal = MemoryJournal(history: 1_000)
        let space = try #require(SpaceName("hidden"))
        for version in 1...40 { _ = try journal.append([commit(version, space, bytes: 1_024 * 1_024)]) }
        let first = try records(ChangePage(of: space, after: 0, limit: ChangePage.commitsLimit, journal) { _ in 2 })
        #expect(first.records.map(\.version) == Array(1...32) && !first.isWhole)
        let last = try records(ChangePage(of: space, after: 32, limit: ChangePage.commitsLimit, journal) { _ in 2 })
        #expect(last.records.map(\.version) == Array(33...40) && last.isWhole)
    }

    @Test func `a page of small commits has as many as were asked for`() throws {
        let journal = MemoryJournal(history: 1_000)
        let space = try #require(SpaceName("small"))
        for version in 1...200 { _ = try journal.append([commit(version, space, bytes: 10)]) }
        for (limit, count, isWhole) in [
            (1, 1, false), (64, 64, false), (100, 100, false), (200, 200, false), (1_000, 200, true),
        ] {
            let page = try records(ChangePage(of: space, after: 0, limit: limit, journal, size: Self.size))
            #expect(page.records.map(\.version) == Array(1...count) && page.isWhole == isWhole, "\(limit)")
        }
    }

    @Test func `a view that an action names twice is answered once`() throws {
        let service = try ServiceInProcess()
        let views = String(repeating: "&view=user.title", count: 100)
        let answer = try service.ask("POST /v1/spaces/a/user/logIn?view=user.title\(views)", [:], #"{"name": "Ada"}"#)
        #expect(answer.status == 200 && answer.body.ranges(of: "\"user.title\":").count == 1)
    }

    @Test func `a run's reader that takes nothing has 24 KiB of events waiting, and the newest`() {
        var queue = EventQueue()
        var dropped = 0
        for _ in 0..<100 { dropped += queue.append(Piece([UInt8](repeating: 0x20, count: 1_024))) }
        #expect(queue.bytes <= EventQueue.bytesLimit && queue.bytes > EventQueue.bytesLimit - 2_048)
        #expect(queue.count + dropped == 100)
        dropped += queue.append(Piece([UInt8](repeating: 0x20, count: 200 * 1_024)))
        #expect(queue.count == 1 && dropped == 100)
        for _ in 0..<300 { _ = queue.append(Piece([])) }
        #expect(queue.count == EventQueue.limit)
    }
}
