import Glibc
import ServiceInProcess
import Testing

/// Whatever a connection sends, the service goes on, and answers each whole request once, in good form and never with a fault of its own.
@Suite struct RandomConnectionsTests {
    /// How many connections there are, and how many a service serves before the next takes its place.
    private static let count = 20_000
    private static let perService = 100

    /// The connections of these numbers: `HEADWATER_CONNECTION=1234` sends one alone, with those that its service served before it.
    private static var numbers: Range<Int> {
        guard let text = getenv("HEADWATER_CONNECTION"), let number = Int(String(cString: text)) else { return 0..<count }
        return number / perService * perService..<number + 1
    }

    @Test func `twenty thousand connections get one good answer for each request`() throws {
        let trace = try LastConnection()
        var service: ServiceInProcess?
        var statuses: [Int: Int] = [:]
        for number in Self.numbers {
            if number % Self.perService == 0 || service == nil { service = try ServiceInProcess() }
            guard let service else { return }
            let parts = try ServiceInProcess.generator().connection(seed: UInt64(number))
            trace.note(number)
            do {
                let check = try AnswerCheck(try service.answer(to: parts), to: parts.flatMap { $0 })
                statuses.merge(check.statuses, uniquingKeysWith: +)
            } catch {
                Issue.record("connection \(number): \(error)\n\(String(decoding: parts.joined(), as: UTF8.self))")
            }
        }
        if Self.numbers.count == Self.count {
            for status in [200, 204, 304, 400, 404, 405, 406, 409, 412, 415, 421, 422] {
                #expect(statuses[status, default: 0] > 0, "no connection got \(status): \(statuses)")
            }
        }
    }
}
