import Foundation
import Ground
import Platform
import StateStore
import Testing

/// What waits for the result of another thread ends on its own thread, also if the other thread is late to let go of it.
struct ReturnedTests {
    /// An object that tells on which thread it ends.
    private final class Witness {
        private let ended: (Bool) -> Void
        private let own = pthread_self()

        init(_ ended: @escaping (Bool) -> Void) {
            self.ended = ended
        }

        deinit {
            ended(pthread_equal(own, pthread_self()) != 0)
        }
    }

    private let ends = Lock<[Bool]>([])

    /// Returns a closure that owns a witness.
    private func waiting<Value>() -> (Value) -> Void {
        let witness = Witness { [ends] isOwn in ends.with { $0.append(isOwn) } }
        return { _ in withExtendedLifetime(witness) {} }
    }

    // Law D14
    @Test func `a request of the past`() throws {
        let executor = WaitingExecutor()
        let reader = try PastReader(try Registry([]), MemoryJournal())
        reader.run(for: executor, { _ throws(PastRefusal) in 1 }, then: waiting())
        executor.runOne()
        reader.close()
        #expect(ends.with { $0 } == [true])
    }

    // Law D14
    @Test func `a read of the journal, and another write`() throws {
        let executor = WaitingExecutor()
        let writer = try ThreadedJournalWriter(MemoryJournal())
        writer.read(for: executor, { _ in 1 }, then: sendable())
        executor.runOne()
        writer.write(for: executor, { _ in 1 }, then: sendable())
        executor.runOne()
        writer.close()
        #expect(ends.with { $0 } == [true, true])
    }

    private func sendable() -> @Sendable (Int) -> Void {
        let body = Confined(waiting() as (Int) -> Void)
        return { body.value($0) }
    }
}
