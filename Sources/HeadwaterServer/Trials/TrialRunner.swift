import Ground
import Platform
import HTTP
import Sockets
import StateStore
import Streams

/// The threads of trials. One trial computes at a time, for a slice of time; then the next has its turn. So a
/// long trial makes a short one wait for a few slices, not for its end.
final class TrialRunner: Sendable {
    /// The maximum number of running trials.
    static let trialsLimit = 16
    /// The time that one trial computes until the next has its turn.
    static let sliceNanoseconds: Int64 = 5_000_000

    /// The number of running trials.
    private let count = Lock(0)
    private let loop: EventLoop?
    private let round = ComputeRound()

    /// The reason to refuse a trial.
    enum NoPlace: Error {
        /// The subject has too many running trials.
        case tooManyOfSubject
        /// All subjects together have too many running trials.
        case tooMany
    }

    /// Runs trials on threads of their own or, for a server that is turned by hand, one after the other on `loop`.
    init(on loop: EventLoop? = nil) {
        self.loop = loop
    }

    /// Runs `work` on a thread of its own, in turns with others. A subject runs at most `limit` trials at once; without
    /// its `use` only the limit for all counts.
    func run(
        for use: SubjectUse?, limit: Int, of subject: String = "", _ departure: Departure? = nil,
        _ work: @escaping @Sendable (ComputeTurn) -> Void
    ) throws(NoPlace) {
        try takePlace(for: use, limit)
        let body: @Sendable () -> Void = { [self] in
            let turn = ComputeTurn(
                in: round, of: subject, departure, limit: Int64(StreamLimits.trialNanoseconds),
                slice: Self.sliceNanoseconds)
            work(turn)
            turn.end()
            leavePlace(of: use)
        }
        if let loop { return loop.post(body) }
        do throws(SystemThread.Failure) {
            try SystemThread {
                SystemThread.yieldToOthers()
                body()
            }.detach()
        } catch {
            // A system without threads has no place for a trial.
            leavePlace(of: use)
            throw .tooMany
        }
    }

    private func takePlace(for use: SubjectUse?, _ limit: Int) throws(NoPlace) {
        let hasPlace = count.with { count in
            guard count < Self.trialsLimit else { return false }
            count += 1
            return true
        }
        guard hasPlace else { throw .tooMany }
        guard use?.beginTrial(limit: limit) ?? true else {
            count.with { $0 -= 1 }
            throw .tooManyOfSubject
        }
    }

    private func leavePlace(of use: SubjectUse?) {
        use?.endTrial()
        count.with { $0 -= 1 }
    }
}

extension TrialRunner {
    /// Runs `work` for a request, or answers why there is no place for it.
    func run(for responder: Responder, _ work: @escaping @Sendable (ComputeTurn) -> Void) {
        let access = responder.context.access
        do throws(NoPlace) {
            try run(
                for: access.isClosed ? responder.account.use : nil, limit: access.limits.trials,
                of: responder.account.subject, responder.exchange.departure, work)
        } catch .tooManyOfSubject {
            let limit = access.limits.trials
            responder.refuse(
                beyond: Rate(kind: .trials, limit: limit, left: 0),
                "this subject has \(limit) trials running: wait for one to end", retryAfter: 1)
        } catch {
            responder.answer(
                Problem(
                    .busy, "\(Self.trialsLimit) trials are running, which is the limit: try again when one has ended",
                    retryAfter: 1))
        }
    }
}
