import Ground
import Platform
import HTTP
import ReplicatedJournal
import Sockets
import StateStore
import Synchronization

/// Sends requests to the owner of their space, and answers with what it answers.
final class RequestForwarder {
    /// The maximum number of requests of a node that are under way to others.
    static let limit = 1_024
    /// The time for one attempt. A request with a key is asked again soon, because its owner may have ended.
    private static func attempt(_ request: ForwardedRequest) -> Duration { .seconds(request.key == nil ? 3 : 1) }

    /// The counts of all loops of a node.
    final class Counts: Sendable {
        let underWay = Atomic<Int>(0)
        let answered = Atomic<Int>(0)
        let noOwner = Atomic<Int>(0)
        let unknown = Atomic<Int>(0)
        let busy = Atomic<Int>(0)
    }

    /// A request on its way.
    private final class Forwarding {
        let request: ForwardedRequest
        let responder: Responder
        let deadline: Int64
        /// True if an attempt has no known outcome.
        var isUnknown = false

        init(_ request: ForwardedRequest, _ responder: Responder, until deadline: Int64) {
            (self.request, self.responder, self.deadline) = (request, responder, deadline)
        }
    }

    static let counts = Counts()

    private let journal: ReplicatedJournal
    private let executor: LoopExecutor
    /// Serves a request by this process, if it has become the owner meanwhile.
    var serveHere: @Sendable ([UInt8], @escaping @Sendable ([UInt8]) -> Void) -> Void = { $1([]) }

    init(_ journal: ReplicatedJournal, on executor: LoopExecutor) {
        self.journal = journal
        self.executor = executor
    }

    /// Sends a request to the owner of its space, again while it is surely not run or has a key.
    func forward(_ request: ForwardedRequest, _ responder: Responder) {
        guard Self.counts.underWay.wrappingAdd(1, ordering: .relaxed).newValue <= Self.limit else {
            Self.counts.underWay.wrappingSubtract(1, ordering: .relaxed)
            Self.counts.busy.wrappingAdd(1, ordering: .relaxed)
            return responder.answer(
                Problem(.busy, "too many requests wait for other nodes. Nothing was changed: try again", retryAfter: 1))
        }
        attempt(Forwarding(request, responder, until: executor.loop.now + request.patience))
    }

    private func attempt(_ forwarding: Forwarding) {
        let left = forwarding.deadline - MonotonicTime.now
        guard left > 0, forwarding.responder.isOpen else { return finish(forwarding) }
        let (owned, executor) = (Confined((self, forwarding)), executor)
        let done: @Sendable (Result<[UInt8], LogFailure>) -> Void = { result in
            executor.post {
                let (forwarder, forwarding) = owned.value
                forwarder.take(result, forwarding)
            }
        }
        let request = forwarding.request
        if let node = request.node {
            journal.forward(request.bytes, toNode: node, timeout: min(.nanoseconds(left), Self.attempt(request)), done)
        } else if journal.owns(request.space) {
            serveHere(request.bytes) { done(.success($0)) }
        } else {
            let timeout = min(Duration.nanoseconds(left), Self.attempt(request))
            journal.forward(request.bytes, to: request.space, timeout: timeout, done)
        }
    }

    private func take(_ result: Result<[UInt8], LogFailure>, _ forwarding: Forwarding) {
        switch result {
        case .success(let bytes):
            guard let answer = ForwardedAnswer(bytes) else { return again(forwarding, isUnknown: !bytes.isEmpty) }
            if answer.isNotRun { return again(forwarding, isUnknown: false) }
            if answer.isUnknown || answer.status >= 400 && forwarding.isUnknown {
                forwarding.isUnknown = true
                return finish(forwarding)
            }
            Self.counts.underWay.wrappingSubtract(1, ordering: .relaxed)
            Self.counts.answered.wrappingAdd(1, ordering: .relaxed)
            forwarding.responder.answer(forwarded: Status(answer.status), answer.fields, answer.body)
        case .failure(let failure) where failure.kind == .unserved && forwarding.request.node != nil:
            // The node has ended, and its streams with it.
            Self.counts.underWay.wrappingSubtract(1, ordering: .relaxed)
            forwarding.responder.answer(.missingStream)
        case .failure(let failure): again(forwarding, isUnknown: failure.kind != .unserved && failure.kind != .unusable)
        }
    }

    /// Tries again, unless that could perform the request twice.
    private func again(_ forwarding: Forwarding, isUnknown: Bool) {
        let isUnknown = isUnknown && !forwarding.request.isRead
        forwarding.isUnknown = forwarding.isUnknown || isUnknown
        if isUnknown, forwarding.request.key == nil { return finish(forwarding) }
        executor.alarms.after(nanoseconds: 50_000_000) { [weak self] in self?.attempt(forwarding) }
    }

    /// Answers that there is no owner, or that the outcome is unknown.
    private func finish(_ forwarding: Forwarding) {
        Self.counts.underWay.wrappingSubtract(1, ordering: .relaxed)
        guard forwarding.isUnknown else {
            Self.counts.noOwner.wrappingAdd(1, ordering: .relaxed)
            return forwarding.responder.answer(Problem(.elsewhere as Refusal))
        }
        answerUnknown(forwarding.request.key, forwarding.responder)
    }

    /// Answers that the outcome is unknown, with the key that a repeat needs.
    func answerUnknown(_ key: String?, _ responder: Responder) {
        Self.counts.unknown.wrappingAdd(1, ordering: .relaxed)
        let problem = Problem(
            .outcomeUnknown,
            "the commit may be stored or not: repeat the request with its Idempotency-Key, and the answer tells",
            retryAfter: 1)
        responder.answer(unknown: problem) { writer in
            if let key { writer.field("Idempotency-Key", key) }
        }
    }
}
