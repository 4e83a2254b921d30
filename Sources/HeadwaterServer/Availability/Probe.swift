import Ground
import Sockets
import StateStore

/// Tries whether the journal can keep something, once for all that ask meanwhile.
final class Probe: Sendable {
    /// The time after which a request is answered though the journal is not.
    static let patienceNanoseconds: Int64 = 1_000_000_000

    typealias Reply = @Sendable (Result<Void, JournalFailure>) -> Void

    private let asking = Lock<[Reply]>([])

    /// Calls `reply` with the result, on any loop.
    func ask(_ keeper: any JournalWriter, on home: any Executor, _ reply: @escaping Reply) {
        let isFirst = asking.with { asking in
            asking.append(reply)
            return asking.count == 1
        }
        guard isFirst else { return }
        keeper.write(
            for: home,
            { journal in
                do throws(JournalFailure) {
                    return Result<Void, JournalFailure>.success(try journal.probe())
                } catch {
                    return .failure(error)
                }
            },
            then: { [self] result in
                let replies = asking.with { asking in
                    defer { asking = [] }
                    return asking
                }
                for reply in replies { reply(result) }
            })
    }
}
