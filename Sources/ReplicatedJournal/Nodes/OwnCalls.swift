internal import Ground
internal import Reactive
internal import StateStore

/// The calls of this server's effects and handlers for spaces that other nodes own.
///
/// A call has an idempotency key, and is sent with it until its outcome is known. So its owner performs it once, however
/// often a message is lost or the owner changes.
extension ClusterNode {
    /// The time for one attempt.
    private static let attemptTime = Duration.seconds(3)
    /// The delays before further attempts.
    private static let attemptDelays: [Duration] = [
        .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
    ]

    /// A call on its way.
    private final class OwnCall {
        let body: [UInt8]
        let lane: Lane
        let reply: @Sendable (Result<Answer, Refusal>) -> Void
        var attempts = 0

        init(_ body: [UInt8], _ lane: Lane, _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void) {
            (self.body, self.lane, self.reply) = (body, lane, reply)
        }
    }

    /// Performs a call where its space is owned. Only the end of this node ends it without an outcome.
    func performElsewhere(
        _ call: Call, in space: SpaceName, _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void
    ) {
        let word = BatchID.random(using: &randomness)
        let key = call.key ?? "own \(String(word.first, radix: 36)) \(String(word.second, radix: 36))"
        let body = ForwardedCall.bytes(of: call, key: key, in: space)
        send(OwnCall(body, status.lane(of: space), reply))
    }

    private func send(_ call: OwnCall) {
        guard isOpen else { return call.reply(.failure(.elsewhere)) }
        let owned = Confined((node: self, call: call))
        log.ask("own.\(call.lane)", call.body, timeout: Self.attemptTime) { result in
            owned.value.node.executor.post { owned.value.node.take(result, of: owned.value.call) }
        }
    }

    private func take(_ result: Result<[UInt8], LogFailure>, of call: OwnCall) {
        switch result {
        case .success(let bytes):
            // An owner that cannot say, and one that is none any more, are asked again with the same key.
            switch try? OutcomeCoding.outcome(bytes) {
            case nil, .failure(.elsewhere): break
            case .failure(.journal(let failure)) where failure.kind == .outcomeUnknown: break
            case let outcome?: return call.reply(outcome)
            }
        case .failure(let failure) where failure.kind == .unusable:
            let words = "the call cannot be sent to the owner of its space: \(failure)"
            return call.reply(.failure(.rejected(Rejection(.invalid, words))))
        case .failure: break
        }
        let delay = Self.attemptDelays[min(call.attempts, Self.attemptDelays.count - 1)]
        call.attempts += 1
        let scheduler = executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + delay) { [self] _ in send(call) })
    }

    /// Performs a call that another node has sent. An answer without content asks that node to send it again.
    func perform(_ body: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) {
        guard let performOwn, let forwarded = try? ForwardedCall(body) else { return reply([]) }
        performOwn(forwarded.call, forwarded.space) { reply(OutcomeCoding.bytes(of: $0)) }
    }
}
