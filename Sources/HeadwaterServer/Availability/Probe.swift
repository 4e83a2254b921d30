import Platform
import Sockets
import StateStore

/// A check that the journal can store commits. Requests that come during a check share its result.
final class Probe: Sendable {
    /// The maximum time that a request waits for the journal.
    static let patienceNanoseconds: Int64 = 1_000_000_000

    typealias Reply = @Sendable (Result<Void, JournalFailure>) -> Void

    private let asking = Lock<[Reply]>([])

    /// Calls `reply` with the result, on any loop.
    func ask(_ journalWriter: any JournalWriter, on executor: any Executor, _ reply: @escaping Reply) {
        let isFirst = asking.with { asking in
            asking.append(reply)
            return asking.count == 1
        }
        guard isFirst else { return }
        journalWriter.write(
            for: executor,
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
