import Glibc
import ServiceInProcess
import Testing

/// For any bytes of a connection the service keeps running and gives each whole request one well-formed answer below
/// 500.
@Suite struct RandomConnectionsTests {
    /// The number of connections in each of several shares, which run in parallel.
    private static let shareCount = 5_000
    /// The number of connections that one service serves.
    private static let perService = 100

    /// `HEADWATER_CONNECTION=1234` sends one connection, with those that its service served before it. After a crash
    /// the numbers of the current connections are in `/tmp/headwater-connections-PID`.
    private static var chosen: Int? { getenv("HEADWATER_CONNECTION").flatMap { Int(String(cString: $0)) } }

    private static func numbers(of share: Int) -> Range<Int> {
        let all = share * shareCount..<(share + 1) * shareCount
        guard let chosen else { return all }
        return all.contains(chosen) ? chosen / perService * perService..<chosen + 1 : 0..<0
    }

    private static let trace = Result { try LastConnections() }

    @Test(arguments: 0..<4) func `five thousand connections get one valid answer for each request`(_ share: Int) throws
    {
        let trace = try Self.trace.get()
        var service: ServiceInProcess?
        var statuses: [Int: Int] = [:]
        for number in Self.numbers(of: share) {
            if number % Self.perService == 0 || service == nil { service = try ServiceInProcess(arguments: ["--mcp"]) }
            guard let service else { return }
            let parts = try ServiceInProcess.generator().connection(seed: UInt64(number))
            trace.note(number, of: share)
            do {
                let check = try AnswerCheck(try service.answer(to: parts), to: parts.flatMap { $0 })
                statuses.merge(check.statuses, uniquingKeysWith: +)
            } catch {
                Issue.record("connection \(number): \(error)\n\(String(decoding: parts.joined(), as: UTF8.self))")
            }
        }
        trace.note(nil, of: share)
        guard Self.chosen == nil else { return }
        for status in [200, 204, 304, 400, 404, 405, 406, 409, 412, 415, 421, 422] {
            #expect(statuses[status, default: 0] > 0, "no connection got \(status): \(statuses)")
        }
    }
}
