import struct Ground.SystemThread
import Sockets
import StateStore
import Streams

/// The threads that tries run on. One try computes at a time, for a slice of time; then the next has its turn. So a long try makes a small one wait for
/// a few slices, not for its end.
final class Laboratory: Sendable {
    /// How many tries may be under way,
    static let triesLimit = 16
    /// and how many of them for one token.
    static let triesOfAccountLimit = 4
    /// How long one try computes until the next has its turn.
    static let sliceNanoseconds: Int64 = 5_000_000

    private let places = Lock(Places())
    private let loop: EventLoop?
    private let round = Round()

    private struct Places {
        var taken = 0
        var takenBy: [ObjectIdentifier: Int] = [:]
    }

    /// Why there is no place for a try.
    enum Refusal: Error {
        /// There are too many tries of this token,
        case tooManyOfAccount
        /// or of all tokens.
        case tooMany
    }

    /// Runs tries on threads of their own or, for a server that is turned by hand, one after the other on `loop`.
    init(on loop: EventLoop? = nil) {
        self.loop = loop
    }

    /// Runs `work` on a thread of its own, in turns with others. Without an `account` only the limit for all counts.
    func run(for account: Account?, _ work: @escaping @Sendable (Turn) -> Void) throws(Refusal) {
        try takePlace(of: account)
        let body: @Sendable () -> Void = { [self] in
            let turn = Turn(in: round, limit: Int64(Limits.tryNanoseconds), slice: Self.sliceNanoseconds)
            work(turn)
            turn.end()
            leavePlace(of: account)
        }
        if let loop { return loop.post(body) }
        do throws(SystemThread.Failure) {
            try SystemThread(body).detach()
        } catch {
            // A system without threads has no place for a try.
            leavePlace(of: account)
            throw .tooMany
        }
    }

    private func takePlace(of account: Account?) throws(Refusal) {
        let refusal = places.with { places -> Refusal? in
            guard places.taken < Self.triesLimit else { return .tooMany }
            if let account {
                let key = ObjectIdentifier(account)
                guard places.takenBy[key, default: 0] < Self.triesOfAccountLimit else { return .tooManyOfAccount }
                places.takenBy[key, default: 0] += 1
            }
            places.taken += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    private func leavePlace(of account: Account?) {
        places.with { places in
            places.taken -= 1
            guard let account else { return }
            let key = ObjectIdentifier(account)
            let left = places.takenBy[key, default: 1] - 1
            places.takenBy[key] = left == 0 ? nil : left
        }
    }
}
