import StateStore
import Testing

@testable import ReplicatedJournal

struct EntryTests {
    private static let commits = [
        CommitRecord(
            space: .common, version: 7, at: Timestamp(microseconds: -3), action: "a/b", input: nil, facts: []),
        CommitRecord(
            space: .common, version: .max, at: Timestamp(microseconds: .max), action: "é/x", input: Array("{}".utf8),
            facts: [
                Fact(variable: "v", value: Array("1".utf8)), Fact(variable: "t", entry: "k", value: nil),
                Fact(variable: "t", entry: "", value: []),
            ], idempotency: Idempotency(key: "k", fingerprint: .max), leavesWork: true, common: 3, by: "me",
            alarm: Timestamp(microseconds: .min), result: [1, 2]),
    ]

    private func entry(_ content: [UInt8] = []) -> LogEntry {
        LogEntry(
            lane: Lane(7), kind: .batch, term: 3, node: "n1", batch: BatchID(first: 1, second: .max), part: 1, parts: 2,
            content: content)
    }

    @Test func `commits are read as they were written, with work, alarm and result`() throws {
        var writer = EntryWriter()
        for commit in Self.commits { CommitCoding.write(commit, to: &writer) }
        let read = try CommitCoding.read(writer.bytes)
        #expect(read == Self.commits)
        #expect(read.map(\.leavesWork) == [false, true])
        #expect(read.map(\.alarm) == Self.commits.map(\.alarm))
        #expect(read.map(\.result) == [[], [1, 2]])
    }

    @Test func `no beginning of an entry is an entry, and none traps`() throws {
        var writer = EntryWriter()
        for commit in Self.commits { CommitCoding.write(commit, to: &writer) }
        let bytes = entry(writer.bytes).encoded(after: .beginning).bytes
        for count in bytes.indices {
            #expect(throws: EntryFault.self) { try LogEntry.decode(Array(bytes[..<count])) }
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0xFF
            _ = try? LogEntry.decode(changed)
            _ = try? CommitCoding.read(Array(changed[index...]))
            _ = try? Lease(bytes: Array(changed[index...]))
        }
    }

    @Test(arguments: [("a b", 1), ("", 1), (".", 1), ("n1\"", 1), ("n1", .max)])
    func `an entry whose owner has no name, or whose term has no successor, is refused`(_ owner: (String, Int)) {
        let entry = LogEntry(
            lane: Lane(7), kind: .claim, term: owner.1, node: owner.0, batch: BatchID(first: 1, second: 2))
        #expect(throws: EntryFault.malformed) { try LogEntry.decode(entry.encoded(after: .beginning).bytes) }
        if owner.1 == 1 {
            #expect(throws: EntryFault.malformed) { try Lease(bytes: Lease(node: owner.0, instance: 1).bytes) }
        }
    }

    @Test func `settings whose base has no room for lives are refused`() {
        let settings = ClusterSettings(
            identity: 1, lanes: 3, lifeBase: .max, digestKey: ClusterSettings.new(lanes: 1).digestKey)
        #expect(throws: EntryFault.malformed) { try ClusterSettings(bytes: settings.bytes) }
    }

    @Test func `an entry of a format that is not known is refused by its number`() {
        var bytes = entry().encoded(after: .beginning).bytes
        bytes[0] = 9
        #expect(throws: EntryFault.unknownFormat(9)) { try LogEntry.decode(bytes) }
    }

    // Law CL5
    @Test func `an entry follows only from the entries that it was written after`() throws {
        let (first, chain) = entry().encoded(after: .beginning)
        let (second, _) = entry([1]).encoded(after: chain)
        #expect(try LogEntry.decode(first, after: .beginning)?.chain == chain)
        #expect(try LogEntry.decode(second, after: chain)?.entry == entry([1]))
        #expect(try LogEntry.decode(second, after: .beginning) == nil)
        var changed = second
        changed[second.count - 1] ^= 1
        #expect(try LogEntry.decode(changed, after: chain) == nil)
    }

    @Test func `leases and settings are read as they were written`() throws {
        var lease = Lease(node: "n1", instance: .max, state: .draining, address: "host:1", program: "0.9")
        lease.applied = [.common: 3, Lane(5): 0]
        lease.owned = [Lane(5)]
        #expect(try Lease(bytes: lease.bytes) == lease)
        let settings = ClusterSettings.new(lanes: 24)
        #expect(try ClusterSettings(bytes: settings.bytes) == settings)
    }

    @Test func `a batch that is too large for one entry is cut into parts`() throws {
        var parts = PartsWriter()
        let value = [UInt8](repeating: 32, count: 700_000)
        let commit = CommitRecord(
            space: .common, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
            facts: [Fact(variable: "v", value: value)])
        parts.add(commit)
        #expect(parts.parts.count == 2)
        #expect(parts.parts.allSatisfy { entry($0).encoded(after: .beginning).bytes.count <= LogEntry.sizeLimit })
        #expect(try CommitCoding.read(Array(parts.parts.joined())) == [commit])
    }
}
