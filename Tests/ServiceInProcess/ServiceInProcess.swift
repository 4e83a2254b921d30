import Glibc
import HeadwaterServer
import JSON
import Sockets
package import StateStore
import Systems
import YAMLReading

/// The whole service behind one end of a socket pair, without threads, on a manual clock. The same bytes get the same
/// answers from each new service.
package final class ServiceInProcess {
    /// The fault of a service that does not finish with a connection.
    package struct Unending: Error, CustomStringConvertible {
        package let description = "the service did not come to an end with a connection"
    }

    /// The greatest number of turns for a connection.
    private static let turnsLimit = 2_000

    private let clock: HandClock
    private let service: HandTurnedService

    /// A new service; `site` is the directory that it serves. Views that take more than `slowNanoseconds` to compute stay
    /// watched between reads. Without a `directory` for its journal it has no spaces. `arguments` are further ones of
    /// the command line, `documents` compiles documents, and `fetcher` fetches the keys of an issuer. By default no view
    /// counts as slow, so the answers do not depend on the speed of the machine. Services with equal `keys` have the same
    /// tags. With a `journalWriter` the journal is that writer's. With `largeBytes` spaces of that size have a loop of their own.
    package init(
        keys: DigestKey? = nil,
        tokenFile: String? = nil, origins: Set<String> = [], rate: Int? = nil, site: String? = nil,
        slowNanoseconds: Int64 = .max, directory: String? = nil, history: Int = 100, startingAt time: Int64 = 0,
        arguments: [String] = [], documents: (any DocumentCompiler)? = nil, fetcher: any Fetcher = NoFetcher(),
        features: [Feature] = systems(), journalWriter: (any JournalWriter)? = nil, largeBytes: Int? = nil
    ) throws {
        clock = HandClock()
        clock.advance(to: max(clock.now, time))
        service = try HandTurnedService(
            features, time: { [clock] in clock.now }, seed: 1, keys: keys, tokenFile: tokenFile, origins: origins,
            rate: rate,
            site: site, slowNanoseconds: slowNanoseconds, directory: directory, history: history,
            arguments: arguments, documents: documents, fetcher: fetcher, journalWriter: journalWriter,
            largeBytes: largeBytes)
    }

    private func turn() {
        service.turn()
        if turnsLarge { service.turnLarge() }
    }

    /// False while the loop of large spaces computes for long.
    package var turnsLarge = true

    /// The number of spaces on the loop of large ones.
    package var largeCount: Int { service.largeSpaces.count }

    /// Closes the journal, so that another service can open its directory. The result is the time of the clock.
    package func close() -> Int64 {
        service.close()
        return clock.now
    }

    /// The number of idle spaces that stay loaded.
    package var idleLimit: Int {
        get { service.idleLimit }
        set { service.idleLimit = newValue }
    }

    /// The estimated bytes in memory that one space may have.
    package var spaceLimit: Int {
        get { service.spaceLimit }
        set { service.spaceLimit = newValue }
    }

    /// The time of day, in seconds.
    package var now: Int { 1_700_000_000 + Int(clock.now / 1_000_000_000) }

    /// The two ends of a new connection.
    func pair() throws -> (client: Socket, server: Socket) {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemFailure("make a pair of sockets") }
        return (Socket(descriptor: ends[0]), Socket(descriptor: ends[1]))
    }

    /// Serves a connection.
    func take(_ socket: Socket) { service.take(socket) }

    /// The number of instances of views of a space that are watched.
    package func instanceCount(in space: String) -> Int { service.instanceCount(in: space) }

    /// The number of broadcasters of views that are remembered.
    package var broadcasterCount: Int { service.broadcasterCount }

    /// Deals with what has happened by now, and with what follows from it.
    package func settle() {
        for _ in 0..<8 { turn() }
    }

    /// Moves the clock, alarm by alarm.
    package func advance(seconds: Int) { advance(milliseconds: 1_000 * seconds) }

    /// Moves the clock, alarm by alarm.
    package func advance(milliseconds: Int) {
        let end = clock.now + Int64(milliseconds) * 1_000_000
        while let due = service.nextAlarm, due <= end {
            clock.advance(to: due)
            turn()
        }
        clock.advance(to: end)
        settle()
    }

    /// Moves the clock without a turn, so that what is due meets what comes next.
    package func jump(seconds: Int) { clock.advance(to: clock.now + Int64(seconds) * 1_000_000_000) }

    /// Sends the parts one turn apart, ends the connection, and returns the answers.
    package func answer(to parts: [[UInt8]]) throws -> [UInt8] {
        let ends = try pair()
        let client = ends.client
        defer { client.close() }
        service.take(ends.server)
        var answer: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        for (index, part) in parts.enumerated() {
            var sent = 0
            while sent < part.count {
                guard case .moved(let count) = client.write(part, from: sent) else { break }
                sent += count
                turn()
                _ = read(client, &room, &answer)
            }
            if index + 1 < parts.count { turn() }
        }
        client.finish()
        for _ in 0..<Self.turnsLimit {
            turn()
            switch read(client, &room, &answer) {
            case .ended, .broken: return answer
            case .moved: continue
            case .wouldBlock: if let due = service.nextAlarm { clock.advance(to: due) }
            }
        }
        throw Unending()
    }

    private func read(_ client: Socket, _ room: inout [UInt8], _ answer: inout [UInt8]) -> IOResult {
        let transfer = room.withUnsafeMutableBytes { client.read(into: $0) }
        if case .moved(let count) = transfer { answer += room[..<count] }
        return transfer
    }
}

extension ServiceInProcess {
    /// A generator of requests for the service.
    package static func generator() throws -> RequestGenerator { try made.get() }

    private static let made = Result { () throws -> RequestGenerator in
        func body(_ path: String) throws -> String {
            let answer = try ServiceInProcess().answer(to: [Array("GET \(path) HTTP/1.0\r\n\r\n".utf8)])
            return String(decoding: answer, as: UTF8.self).split(separator: "\r\n\r\n", maxSplits: 1).last.map(
                String.init)
                ?? ""
        }
        return RequestGenerator(
            index: try JSON(parsing: Array(body("/v1").utf8)), paths: HandTurnedService.paths,
            contract: try YAMLReader.read(body("/openapi.yaml")))
    }
}

extension RequestGenerator {
    /// Returns the connection for a seed.
    package func connection(seed: UInt64) -> [[UInt8]] {
        var entropy = Entropy(seed: seed)
        return connection(&entropy)
    }
}
