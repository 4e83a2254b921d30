import Ground
import Sockets
import StateStore
import Streams

/// The threads of trials. One trial computes at a time, for a slice of time; then the next has its turn. So a
/// long trial makes a short one wait for a few slices, not for its end.
final class TrialRunner: Sendable {
    /// The maximum number of running trials.
    static let trialsLimit = 16
    /// The maximum number of running trials of one token.
    static let trialsOfAccountLimit = 4
    /// The time that one trial computes until the next has its turn.
    static let sliceNanoseconds: Int64 = 5_000_000

    /// The accounts of the running trials, one entry for each trial.
    private let accounts = Lock<[Account?]>([])
    private let loop: EventLoop?
    private let round = ComputeRound()

    /// The reason to refuse a trial.
    enum NoPlace: Error {
        /// The token has too many running trials.
        case tooManyOfAccount
        /// All tokens together have too many running trials.
        case tooMany
    }

    /// Runs trials on threads of their own or, for a server that is turned by hand, one after the other on `loop`.
    init(on loop: EventLoop? = nil) {
        self.loop = loop
    }

    /// Runs `work` on a thread of its own, in turns with others. Without an `account` only the limit for all counts.
    func run(for account: Account?, _ work: @escaping @Sendable (ComputeTurn) -> Void) throws(NoPlace) {
        try takePlace(of: account)
        let body: @Sendable () -> Void = { [self] in
            let turn = ComputeTurn(in: round, limit: Int64(StreamLimits.trialNanoseconds), slice: Self.sliceNanoseconds)
            work(turn)
            turn.end()
            leavePlace(of: account)
        }
        if let loop { return loop.post(body) }
        do throws(SystemThread.Failure) {
            try SystemThread(body).detach()
        } catch {
            // A system without threads has no place for a trial.
            leavePlace(of: account)
            throw .tooMany
        }
    }

    private func takePlace(of account: Account?) throws(NoPlace) {
        let reason = accounts.with { accounts -> NoPlace? in
            guard accounts.count < Self.trialsLimit else { return .tooMany }
            if let account, accounts.count(where: { $0 === account }) >= Self.trialsOfAccountLimit {
                return .tooManyOfAccount
            }
            accounts.append(account)
            return nil
        }
        if let reason { throw reason }
    }

    private func leavePlace(of account: Account?) {
        accounts.with { accounts in
            if let index = accounts.firstIndex(where: { $0 === account }) { accounts.remove(at: index) }
        }
    }
}
