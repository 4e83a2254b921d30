import Ground
import Sockets
import StateStore

/// The actions that this node performs and has not answered. The log may leave their outcome open for long.
final class LocalActions {
    /// The time between two looks.
    private static let pauseNanoseconds: Int64 = 200_000_000

    private let executor: LoopExecutor
    private let answerUnknown: (_ key: String?, Responder) -> Void
    /// The actions since the last look, and those before that have no answer.
    private var watched: [(deadline: Int64, responder: Responder, key: String?)] = []
    private var isTicking = false

    init(_ executor: LoopExecutor, answerUnknown: @escaping (_ key: String?, Responder) -> Void) {
        self.executor = executor
        self.answerUnknown = answerUnknown
    }

    /// Answers that the outcome is unknown if an action has no answer at a time.
    func watch(_ responder: Responder, until deadline: Int64, _ key: String?) {
        watched.append((deadline, responder, key))
        tick()
    }

    private func tick() {
        guard !isTicking, !watched.isEmpty else { return }
        isTicking = true
        executor.alarms.after(nanoseconds: Self.pauseNanoseconds) { [weak self] in self?.look() }
    }

    private func look() {
        isTicking = false
        let now = executor.loop.now
        for (deadline, responder, key) in watched where deadline <= now && responder.isOpen {
            answerUnknown(key, responder)
        }
        watched.removeAll { !$0.responder.isOpen }
        tick()
    }
}
