import Foundation
import Ground
import LogContract
import NATSServers
import ReplicatedJournal
import SQLiteJournal
import StateStore
import Testing

@testable import NATSLog

/// A node that begins when the servers no longer have the first entries.
@Suite(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"), .timeLimit(.minutes(15)))
struct BaseOnServerTests {
    @Test func `a new node takes a base over a real server`() async throws {
        let servers = try NATSServers()
        let cluster = try TestCluster(servers, lanes: 1)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = try await cluster.log()
        let first = try #require(try await log.entry(1, of: .common))
        let settings = try ClusterSettings(bytes: try LogEntry.decode(first).entry.content)
        let thread = try NodeThread()
        let journal = try ReplicatedJournal(
            Lease(node: "A", instance: 1), settings,
            copy: try SQLiteJournal(directory: "\(folder)/A", durability: .none), log: log, on: thread,
            clock: { NodeThread.now })
        let (other, otherThread) = (try await cluster.log(), try NodeThread())
        let lanes = Lane.all(1)
        let isReady = try await eventually {
            guard let lease = try await other.lease(of: "A")?.lease, lease.owned == lanes else { return false }
            for lane in lanes {
                guard try await other.extent(of: lane).last == lease.applied[lane] else { return false }
            }
            return true
        }
        #expect(isReady)
        for lane in lanes { try await other.trim(lane, upTo: try await other.extent(of: lane).last) }
        let request = Confined(BaseRequest("B", [], other, on: otherThread))
        let lacks: Bool? = await withCheckedContinuation { continuation in
            otherThread.post { request.value.look { continuation.resume(returning: $0) } }
        }
        #expect(lacks == true)
        let giver: Result<String?, JournalFailure> = await withCheckedContinuation { continuation in
            otherThread.post {
                request.value.take({ () throws(JournalFailure) in try BaseDraft(in: "\(folder)/B") }) {
                    continuation.resume(returning: $0)
                }
            }
        }
        #expect(try giver.get() == "A")
        let copy = try SQLiteJournal(directory: "\(folder)/B", durability: .none)
        let positions = try copy.rows().filter { $0.name.hasPrefix("lane ") }
        #expect(Set(positions.map(\.name)) == ["lane common", "lane 0"])
        let again = Confined(BaseRequest("B", try copy.rows(), other, on: otherThread))
        let lacksMore: Bool? = await withCheckedContinuation { continuation in
            otherThread.post { again.value.look { continuation.resume(returning: $0) } }
        }
        #expect(lacksMore == false)
        _ = copy.close()
        _ = journal.close()
        other.close()
        thread.end()
        otherThread.end()
    }
}
