import Foundation
import Ground
import LogContract
import JSON
import NATSServers
import ReplicatedJournal
import Testing

@testable import NATSLog

/// Three servers with three copies, of which one is killed or stopped. Debian's nats-server is too old for copies.
@Suite(
    .enabled(
        if: NATSServers.isInstalled && NATSServers.isCurrent,
        "these tests need a current server: HEADWATER_NATS_SERVER=$(Scripts/nats --pypi)"), .serialized,
    .timeLimit(.minutes(15)))
struct LeaderFaultTests {
    /// An entry that a writer wants to have stored once.
    private struct Writer {
        let log: NATSLog
        let name: String
        var last = 0
        var kept: [Int: String] = [:]
        var failures = 0

        /// Appends one text by the laws of the log: after a failure the next slot is read, and closed if it is empty.
        mutating func append(_ text: String) async {
            while true {
                if await attempt(text) { return }
                await settle(text)
                if kept[last] == text { return }
            }
        }

        private mutating func attempt(_ text: String) async -> Bool {
            guard let number = try? await log.append(Array(text.utf8), to: Lane(0), after: last) else {
                failures += 1
                return false
            }
            last = number
            kept[number] = text
            return true
        }

        /// Reads the slot after the last entry until it is known. An empty one is closed by a mark.
        private mutating func settle(_ text: String) async {
            while true {
                do {
                    if let bytes = try await log.entry(last + 1, of: Lane(0)) {
                        last += 1
                        let stored = String(decoding: bytes, as: UTF8.self)
                        if stored == text { kept[last] = text }
                        return
                    }
                    let number = try await log.append(Array("mark \(name)".utf8), to: Lane(0), after: last)
                    last = number
                    return
                } catch {
                    failures += 1
                }
            }
        }
    }

    enum LeaderFault: CaseIterable, Sendable {
        case killed, stopped
    }

    @Test(arguments: LeaderFault.allCases)
    func `what was acknowledged is stored once after the leader has failed`(_ fault: LeaderFault) async throws {
        let servers = try NATSServers(3)
        var cluster: TestCluster?
        // The servers elect a leader of their own first. Its loss is noticed by the usual time limits.
        _ = await eventually {
            cluster = try? TestCluster(servers, "t", lanes: 1, replicas: 3, slowness: 1)
            return cluster != nil
        }
        let made = try #require(cluster)
        let (log, reader) = (try await made.log(), try await made.log())
        defer {
            log.close()
            reader.close()
        }
        let received = Received<StoredEntry>()
        let following = reader.follow(Lane(0), after: 0, received)
        var writer = Writer(log: log, name: "A")
        for number in 0..<50 { await writer.append("a\(number)") }
        var found: Int?
        _ = try await eventually {
            found = try await self.leader(log)
            return found != nil
        }
        let leader = try #require(found)
        switch fault {
        case .killed: servers.kill(leader)
        case .stopped: servers.signal(leader, SIGSTOP)
        }
        for number in 50..<100 { await writer.append("a\(number)") }
        switch fault {
        case .killed: try servers.restart(leader)
        case .stopped: servers.signal(leader, SIGCONT)
        }
        for number in 100..<150 { await writer.append("a\(number)") }
        let entries = await received.wait(for: writer.last)
        #expect(entries.prefix(writer.last).map(\.number) == Array(1...writer.last))
        let texts = entries.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts.filter { $0.hasPrefix("a") } == (0..<150).map { "a\($0)" })
        for (number, text) in writer.kept { #expect(texts[number - 1] == text) }
        withExtendedLifetime(following) {}
    }

    /// The index of the server that leads the lane; nil if none answers.
    private func leader(_ log: NATSLog) async throws -> Int? {
        guard let session = log.session else { return nil }
        let name: String? = await withCheckedContinuation { continuation in
            session.ask("STREAM.INFO.\(log.names.stream(of: Lane(0)))", "") { answer in
                continuation.resume(returning: (try? answer.get())?["cluster"]?["leader"]?.text)
            }
        }
        return name.flatMap { Int($0.split(separator: "-").last ?? "") }
    }
}
