internal import Ground
internal import Reactive
internal import StateStore

/// The transfer of a base from one node.
final class BaseTransfer {
    private static let askTime = Duration.seconds(10)
    private static let pause = Duration.milliseconds(500)
    /// The number of failures in a row after which the giver counts as gone.
    private static let failuresLimit = 20

    private let log: any SharedLog
    private let executor: any Executor
    private let subject: String
    private let sink: any BaseSink
    private let done: (Result<Void, JournalFailure>) -> Void
    private var id: UInt64 = 0
    private var size = 0
    private var offset = 0
    private var failures = 0

    /// Begins a transfer. `done` is called once, on the executor.
    init(
        from node: String, _ log: any SharedLog, on executor: any Executor, into sink: any BaseSink,
        _ done: @escaping (Result<Void, JournalFailure>) -> Void
    ) {
        (self.log, self.executor, self.sink, self.done) = (log, executor, sink, done)
        subject = "base.\(node)"
        ask(.open)
    }

    private func ask(_ question: BaseQuestion) {
        let owned = Confined(self)
        log.ask(subject, question.bytes, timeout: Self.askTime) { result in
            owned.value.executor.post { owned.value.take(result, question) }
        }
    }

    private func again(_ question: BaseQuestion) {
        let scheduler = executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + Self.pause) { [self] _ in ask(question) })
    }

    private func take(_ result: Result<[UInt8], LogFailure>, _ question: BaseQuestion) {
        guard case .success(let bytes) = result, let answer = try? BaseAnswer(bytes) else {
            failures += 1
            guard failures < Self.failuresLimit else { return fail("the node does not answer") }
            return again(question)
        }
        failures = 0
        switch answer {
        case .making: again(.open)
        case .absent(let reason): fail(reason)
        case .opened(let id, let size):
            (self.id, self.size) = (id, size)
            next()
        case .piece(let bytes):
            guard !bytes.isEmpty, bytes.count <= size - offset else { return fail("a piece has the wrong size") }
            do throws(JournalFailure) {
                try sink.write(bytes)
            } catch {
                return fail(error)
            }
            offset += bytes.count
            next()
        }
    }

    private func next() {
        if offset < size { return ask(.piece(of: id, from: offset)) }
        do throws(JournalFailure) {
            try sink.publish()
        } catch {
            return fail(error)
        }
        done(.success(()))
    }

    private func fail(_ reason: String) {
        fail(JournalFailure(.unusable, "\(subject): \(reason)"))
    }

    private func fail(_ failure: JournalFailure) {
        // The journal, or the next draft, needs the directory.
        sink.end()
        done(.failure(failure))
    }
}
