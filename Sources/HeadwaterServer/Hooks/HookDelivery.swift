import Outgoing
import Reactive
import StateStore

/// The deliveries of one hook: one at a time, in order, each until it succeeds.
final class HookDelivery {
    /// The longest time between two attempts.
    static let longestDelay = Duration.seconds(300)
    /// The number of versions that need no delivery after which the place is kept.
    private static let versionsLimit = 256

    let name: HookName
    let hook: StoredHook
    /// The receiver; nil if another journal has sealed it.
    let address: HookAddress?
    private let dispatcher: HookDispatcher
    private let reach: AddressReach?
    /// The moment up to which everything was delivered.
    private(set) var cursor: Moment
    /// The reason why the last attempt failed, or why the hook has stopped.
    private(set) var problem: String?
    private(set) var isStopped = false
    /// The cursor that the journal keeps.
    private var kept: Moment
    private var nextKeeping: Instant
    private var hasDelivered = false
    /// The events that are read and not delivered, and the cursor after them.
    private var events: ArraySlice<HookEvent> = []
    private var end: Moment
    /// True if a rule does not allow what follows the events to the owner of the hook.
    private var isForbidden = false
    /// True if the journal may have more.
    private var hasNews = true
    private var failures = 0
    private var place: HookPlaces.DeliveryPlace?
    /// Ends the wait for news; nil while there is none.
    private var wake: (() -> Void)?

    init(_ name: HookName, _ hook: StoredHook, _ dispatcher: HookDispatcher) {
        self.name = name
        self.hook = hook
        self.dispatcher = dispatcher
        let surroundings = dispatcher.surroundings
        address =
            hook.document == nil
            ? HookAddress(hook.sealed, of: name, surroundings.seal) : HookAddress(of: hook, surroundings.secrets)
        reach = address.flatMap { surroundings.allowed.reach(of: $0.url) }
        let stored = dispatcher.place(of: name.key, number: hook.number)
        let start = max(hook.start, stored?.moment ?? hook.start)
        cursor = max(start, dispatcher.reached(by: name.key, number: hook.number) ?? start)
        kept = start
        end = cursor
        nextKeeping = dispatcher.outside.scheduler.now
        if let stopped = stored?.stopped {
            isStopped = true
            problem = stopped
        } else if address == nil, let secret = hook.secret {
            problem = "the operator gives no secret \(secret): see --secret"
        } else if address == nil {
            problem = "the secret was encrypted by another data directory: put the hook again"
        } else if reach == nil {
            problem = "the operator does not allow the host: see --outgoing-allow"
        }
    }

    deinit {
        dispatcher.remove(self)
    }

    private var outside: Outside { dispatcher.outside }

    /// The version that the hook has reached.
    var version: Int { name.space == .common ? cursor.common : cursor.version }

    /// The endless sequence of steps: a place, a page, a delivery, or the wait for news.
    var rounds: Observable<Int> {
        Observable.deferred { [self] in step() }.repeat()
    }

    /// Notes that the journal has a commit.
    func noteNews() {
        hasNews = true
        wake?()
    }

    private func step() -> Observable<Int> {
        guard !isStopped, let address, let reach else { return .never() }
        guard hasNews || !events.isEmpty else { return rest() }
        guard place != nil else {
            return outside.result { [dispatcher] receive in dispatcher.sending.take { receive(.success($0)) } }
                .map { [self] in
                    place = $0
                    return 0
                }
        }
        guard let event = events.first else { return isForbidden ? stopForbidden() : read(for: address.owner) }
        let life = dispatcher.surroundings.journal.lives.earliestLife(of: name.space)
        let request = event.request(
            to: address, reach: reach,
            trace: dispatcher.surroundings.traces.trace(of: name.space, event.version(in: name.space)),
            name: event.name(for: name, in: life, dispatcher.surroundings.seal),
            at: outside.now)
        return outside.fetch(request).flatMap { [self] in take($0, event) }
            .catch { [self] in fail(Self.words(for: $0)) }
    }

    // MARK: Reading

    private func read(for owner: Caller) -> Observable<Int> {
        hasNews = false
        let reader = hook.reader(owner)
        return dispatcher.page(of: hook, in: name.space, for: reader, after: cursor).flatMap { [self] in take($0) }
            .catch { [self] error in
                switch error {
                case PastRefusal.forbidden: return stopForbidden()
                case HookPageFault.gone(let space, let oldest), PastRefusal.gone(let space, let oldest):
                    return stop(
                        "the commits of the space \(space) after version \(version) are no longer stored, only those after \(oldest): put the hook again to go on there"
                    )
                case PastRefusal.busy:
                    leave()
                    return Observable<Int>.timer(.seconds(1), on: outside.scheduler)
                default: return fail(Self.words(for: error))
                }
            }
    }

    private func take(_ page: HookPage) -> Observable<Int> {
        events = page.events[...]
        end = page.end
        isForbidden = page.isForbidden
        if !page.isWhole { hasNews = true }
        guard events.isEmpty else { return .just(0) }
        cursor = end
        return .just(0)
    }

    private func stopForbidden() -> Observable<Int> {
        stop("a rule does not allow the view to the caller that put the hook: put the hook again to go on")
    }

    /// Leaves the place to another hook. What was read is read again.
    private func leave() {
        place = nil
        guard !events.isEmpty || !hasNews else { return }
        events = []
        hasNews = true
    }

    // MARK: Outcomes

    private func take(_ response: OutgoingResponse, _ event: HookEvent) -> Observable<Int> {
        switch response.status {
        case 200..<300:
            events = events.dropFirst()
            cursor = events.isEmpty ? end : event.moment
            failures = 0
            problem = nil
            hasDelivered = true
            if dispatcher.sending.isCrowded { leave() }
            return outside.scheduler.now >= nextKeeping ? keep() : .just(0)
        case 410: return stop("the receiver answered 410: it wants no more deliveries. Put the hook again to go on")
        case 300..<400: return fail("the receiver answered \(response.status); a redirect is not followed")
        default:
            let seconds = response["Retry-After"].flatMap { Int($0) } ?? 0
            return fail("the receiver answered \(response.status)", atLeast: .seconds(max(0, min(seconds, 86_400))))
        }
    }

    /// Notes that an attempt failed, and waits: twice as long after each failure in a row.
    private func fail(_ words: String, atLeast least: Duration = .zero) -> Observable<Int> {
        problem = words
        leave()
        let longest = min(.seconds(1 << min(failures, 9)), Self.longestDelay)
        failures += 1
        // Jitter keeps hooks that failed together from trying again together.
        let delay = longest / 2 + longest / 2 * (Double(dispatcher.outside.random.next() % 1_000) / 1_000)
        let wait = Observable<Int>.timer(max(delay, min(least, Self.longestDelay)), on: outside.scheduler)
        return wantsKeeping ? append([keep(), wait]) : wait
    }

    private func stop(_ words: String) -> Observable<Int> {
        isStopped = true
        problem = words
        events = []
        place = nil
        return keep()
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case let failure as FetchFailure: failure.description
        case HookPageFault.journal(let failure), PastRefusal.journal(let failure), PastRefusal.unreadable(let failure):
            failure.description
        case PastRefusal.noView(let view, let why): why?.description ?? "there is no view \(view)"
        default: "\(error)"
        }
    }

    // MARK: The cursor

    /// True if the journal should have the cursor: after a delivery, or before the commits since it are dropped.
    private var wantsKeeping: Bool {
        hasDelivered
            || cursor.version - kept.version >= min(Self.versionsLimit, max(1, dispatcher.surroundings.history / 4))
    }

    /// Lets the journal keep the cursor. Deliveries since the last time are repeated after a crash.
    private func keep() -> Observable<Int> {
        let moment = cursor
        hasDelivered = false
        nextKeeping = outside.scheduler.now + dispatcher.keepingInterval
        return outside.perform(
            "reached",
            HookProgress(
                hook: name.key, number: hook.number, version: moment.version, common: moment.common,
                stopped: isStopped ? problem : nil)
        ).map { [self] _ in
            kept = moment
            return 0
        }
    }

    /// Waits for news, and keeps the cursor if nothing comes for a while.
    private func rest() -> Observable<Int> {
        place = nil
        let news = outside.result { [self] (receive: @escaping (Result<Int, any Error>) -> Void) in
            wake = { receive(.success(0)) }
            return { [self] in wake = nil }
        }
        guard wantsKeeping else { return news }
        let left = nextKeeping - outside.scheduler.now
        return left <= .zero ? keep() : race(news, Observable<Int>.timer(left, on: outside.scheduler))
    }
}
