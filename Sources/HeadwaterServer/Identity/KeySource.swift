import Platform
import StateStore

/// The public keys of an issuer, from a file or from a URL. The set of a URL is fetched at the start, again each quarter
/// of an hour, and when a token names an unknown key, for that reason at most once a minute.
final class KeySource: Sendable {
    /// The time between two fetches for unknown keys.
    static let unknownKeySeconds: Int64 = 60
    /// The times until the next try while no set was fetched yet: doubled from the first to the last.
    static let retrySeconds: (first: Int64, last: Int64) = (1, 60)
    /// The time after which the set is fetched again.
    static let refreshSeconds: Int64 = 900
    /// The greatest size of a set.
    static let bytesLimit = 512 * 1_024

    fileprivate struct State {
        var keys: KeySet?
        var isFetching = false
        /// The time from which an unknown key fetches the set.
        var unknownKeyFetch: Int64 = .min
        /// The time from which the first set is fetched again, and the wait after that.
        var retry: Int64 = .min
        var retrySeconds = KeySource.retrySeconds.first
        var refresh: Int64 = .max
        var waiters: [@Sendable () -> Void] = []
        var report: @Sendable (Outcome) -> Void = { _ in }
    }

    private let state: Lock<State>
    private let url: String?
    private let fetcher: any Fetcher
    private let time: @Sendable () -> Int64

    /// The outcome of a fetch.
    enum Outcome: Sendable {
        case failed(String)
        case replaced
    }

    /// The keys of a file.
    init(_ keys: KeySet) {
        state = Lock(State(keys: keys))
        url = nil
        fetcher = NoFetcher()
        time = { 0 }
    }

    /// The keys of a URL. `time` is in nanoseconds and never goes back.
    init(_ url: String, _ fetcher: any Fetcher, time: @escaping @Sendable () -> Int64) {
        state = Lock(State())
        self.url = url
        self.fetcher = fetcher
        self.time = time
    }

    /// True if the keys come from a URL.
    var isFetched: Bool { url != nil }

    /// Fetches the first set of a URL. From now on `report` is called on any thread after each fetch.
    func begin(_ report: @escaping @Sendable (Outcome) -> Void) {
        state.with { $0.report = report }
        fetch()
    }

    /// The keys that may have signed a token, or the reason why there are none.
    enum Finding {
        case keys([VerificationKey])
        case refused(TokenFault)
        /// A fetch is under way.
        case pending
        /// No set could be fetched yet.
        case unavailable
    }

    /// Returns the keys that may have signed a token. An unknown key begins a fetch.
    func find(_ token: JSONWebToken) -> Finding {
        let now = time()
        let (finding, begins) = state.with { state -> (Finding, Bool) in
            guard let keys = state.keys else { return state.findWithoutKeys(now) }
            let isOld = url != nil && now >= state.refresh && !state.isFetching
            switch keys.find(token) {
            case .keys(let found): return (.keys(found), state.begin(if: isOld))
            case .unnamed:
                return (.refused(TokenFault("the token names no key, and the set has several")), false)
            case .unknown:
                guard url != nil, !state.isFetching, now >= state.unknownKeyFetch else {
                    return (
                        state.isFetching ? .pending : .refused(TokenFault("the token names an unknown key")), false
                    )
                }
                state.unknownKeyFetch = now + Self.unknownKeySeconds * 1_000_000_000
                return (.pending, state.begin(if: true))
            }
        }
        if begins { send() }
        return finding
    }

    /// Returns the key with a thumbprint. Without a set, a fetch may begin.
    func find(thumbprint: [UInt8]) -> Finding {
        let now = time()
        let (finding, begins) = state.with { state -> (Finding, Bool) in
            guard let keys = state.keys else { return state.findWithoutKeys(now) }
            let found = keys.keys.filter { ConstantTime.areEqual($0.thumbprint, thumbprint) }
            return (found.isEmpty ? .refused(TokenFault("the key of the ticket was withdrawn")) : .keys(found), false)
        }
        if begins { send() }
        return finding
    }

    /// Replaces the set by that of a file.
    func replace(with keys: KeySet) {
        state.with { $0.keys = $0.keys.map { keys.following($0) } ?? keys }
    }

    /// Begins a fetch, unless one is under way.
    func fetch() {
        guard url != nil else { return }
        if state.with({ state in state.begin(if: !state.isFetching) }) { send() }
    }

    /// Begins a fetch if the set is old, also if no token asks for a key: a withdrawn key ends its streams.
    func refreshIfOld() {
        let now = time()
        let begins = state.with { $0.begin(if: url != nil && now >= $0.refresh && !$0.isFetching) }
        if begins { send() }
    }

    /// Calls `body` on any thread once no fetch is under way.
    func whenFetched(_ body: @escaping @Sendable () -> Void) {
        let isFetching = state.with { state in
            if state.isFetching { state.waiters.append(body) }
            return state.isFetching
        }
        if !isFetching { body() }
    }

    private func send() {
        guard let url else { return }
        let request = OutgoingRequest(
            "GET", url, fields: [.init("Accept", "application/jwk-set+json, application/json")],
            timeout: .seconds(10), bodyLimitBytes: Self.bytesLimit, target: "jwks")
        _ = fetcher.fetch(request) { [self] in take($0) }
    }

    private func take(_ result: Result<OutgoingResponse, FetchFailure>) {
        let fetched = Self.keys(of: result)
        let now = time()
        let (waiters, report) = state.with { state in
            switch fetched {
            case .success(let keys):
                state.keys = state.keys.map { keys.following($0) } ?? keys
                state.refresh = now + Self.refreshSeconds * 1_000_000_000
            case .failure:
                state.retry = now + state.retrySeconds * 1_000_000_000
                state.retrySeconds = min(2 * state.retrySeconds, Self.retrySeconds.last)
                if state.keys != nil { state.refresh = now + Self.unknownKeySeconds * 1_000_000_000 }
            }
            state.isFetching = false
            defer { state.waiters = [] }
            return (state.waiters, state.report)
        }
        switch fetched {
        case .success: report(.replaced)
        case .failure(let fault): report(.failed(fault.description))
        }
        for waiter in waiters { waiter() }
    }

    private static func keys(of result: Result<OutgoingResponse, FetchFailure>) -> Result<KeySet, TokenFault> {
        switch result {
        case .failure(let failure): .failure(TokenFault(failure.description))
        case .success(let response) where response.status != 200:
            .failure(TokenFault("the issuer answered \(response.status)"))
        case .success(let response): Result { () throws(TokenFault) in try KeySet(response.body) }
        }
    }
}

extension KeySource.State {
    /// Marks a fetch as under way, if one is to begin.
    fileprivate mutating func begin(if begins: Bool) -> Bool {
        if begins { isFetching = true }
        return begins
    }

    fileprivate mutating func findWithoutKeys(_ now: Int64) -> (KeySource.Finding, Bool) {
        if isFetching { return (.pending, false) }
        guard now >= retry else { return (.unavailable, false) }
        return (.pending, begin(if: true))
    }
}
