internal import Ground
internal import Reactive
internal import StateStore

/// The bases that a node gives to others. It makes one when asked, and keeps it while it is read.
final class BaseService {
    /// The maximum number of bytes of a piece.
    static let pieceBytes = 256 * 1_024
    /// The time after the last question at which a base ends.
    private static let patience = Duration.seconds(120)
    /// The age from which another node gets a new base.
    private static let freshness = Duration.seconds(600)

    private struct GivenBase {
        let id: UInt64
        let base: any CopyBase
        let made: Instant
        var asked: Instant
    }

    private let copy: any JournalCopy
    private let executor: any Executor
    /// Runs work that takes long, on another thread.
    private let apart: @Sendable (@escaping @Sendable () -> Void) -> Void
    private var given: GivenBase?
    private var isMaking = false
    private var failure: String?

    init(
        _ copy: any JournalCopy, on executor: any Executor,
        apart: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        (self.copy, self.executor, self.apart) = (copy, executor, apart)
    }

    /// Answers a question.
    func answer(_ bytes: [UInt8], _ id: UInt64) -> BaseAnswer {
        guard let question = try? BaseQuestion(bytes) else { return .absent("the question cannot be read") }
        let now = executor.scheduler.now
        given?.asked = now
        switch question {
        case .open:
            if let given, now < given.made + Self.freshness { return .opened(given.id, size: given.base.size) }
            if let failure {
                self.failure = nil
                return .absent(failure)
            }
            make(id)
            return .making
        case .piece(let id, let offset):
            guard let given, given.id == id else { return .absent("the base was given up") }
            do throws(JournalFailure) {
                return .piece(try given.base.bytes(from: offset, count: Self.pieceBytes))
            } catch {
                return .absent(error.description)
            }
        }
    }

    private func make(_ id: UInt64) {
        guard !isMaking else { return }
        isMaking = true
        let (owned, copy, executor) = (Confined(self), copy, executor)
        apart {
            let made = Result { () throws(JournalFailure) in try copy.makeBase() }
            executor.post { owned.value.take(made, id) }
        }
    }

    private func take(_ made: Result<any CopyBase, JournalFailure>, _ id: UInt64) {
        isMaking = false
        switch made {
        case .failure(let failure): self.failure = failure.description
        case .success(let base):
            let now = executor.scheduler.now
            given = GivenBase(id: id, base: base, made: now, asked: now)
            look()
        }
    }

    /// Ends the base that nobody reads.
    private func look() {
        guard let given else { return }
        let now = executor.scheduler.now
        guard now < given.asked + Self.patience else { return self.given = nil }
        executor.scheduler.set(Alarm(at: now + Self.patience) { [weak self] _ in self?.look() })
    }
}
