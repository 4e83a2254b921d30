import JSON
import Reactive
import StateStore

/// A loop that polls one repository. Each round waits until it is due or requested and GitHub permits it, sends the
/// request, and performs an action with the result.
final class Poller {
    /// The default interval between rounds, and the minimum.
    static let interval = Duration.seconds(60)
    static let shortestInterval = Duration.seconds(1)
    /// The delay after the first failure, doubled after each further failure up to the maximum.
    static let firstRetry = Duration.seconds(5)
    static let lastRetry = Duration.seconds(15 * 60)

    private let repository: String
    private let source: Observable<PolledRepository>
    private let pause: Observable<Pause?>
    private let outside: Outside
    private let gitHub: GitHub
    /// The time when the next round is due, and the time before which GitHub permits none.
    private var due: Instant
    private var allowed: Instant
    private var failures = 0
    /// The interval between rounds that GitHub requested.
    private var interval = Poller.interval

    init(
        of repository: String, _ source: Observable<PolledRepository>, _ pause: Observable<Pause?>, _ outside: Outside,
        _ gitHub: GitHub
    ) {
        self.repository = repository
        self.source = source
        self.pause = pause
        self.outside = outside
        self.gitHub = gitHub
        due = outside.scheduler.now
        allowed = due
    }

    /// The endless sequence of rounds.
    var rounds: Observable<Answer> {
        Observable.deferred { self.wait().flatMap { _ in self.ask() } }.repeat()
    }

    private func wait() -> Observable<Int> {
        let isAsked = source.filter { $0.refresh != nil }.map { _ in 0 }.first()
        return race(sleep(until: due), isAsked).flatMap { _ in self.permission() }
    }

    /// Emits when GitHub permits a request. It checks again after each wait, because a new pause may have begun.
    private func permission() -> Observable<Int> {
        pause.first().flatMap { pause -> Observable<Int> in
            let left = Duration.microseconds(Int64(pause?.until ?? 0) - self.outside.now.microseconds)
            let wait = max(left, self.allowed - self.outside.scheduler.now)
            return wait > .zero ? self.sleep(for: wait).flatMap { _ in self.permission() } : .just(0)
        }
    }

    private func sleep(until instant: Instant) -> Observable<Int> {
        sleep(for: instant - outside.scheduler.now)
    }

    private func sleep(for duration: Duration) -> Observable<Int> {
        Observable<Int>.timer(duration, on: outside.scheduler)
    }

    // MARK: Requests

    private func ask() -> Observable<Answer> {
        source.first()
            .flatMap { source in self.outside.fetch(self.gitHub.events(of: self.repository, after: source)) }
            .timeout(.seconds(20), on: outside.scheduler)
            .flatMap { try self.take($0) }
            .catch { self.fail(Outside.words(for: $0)) }
    }

    private func take(_ response: OutgoingResponse) throws -> Observable<Answer> {
        let now = outside.scheduler.now
        allowed = now + (response.pollInterval ?? .zero)
        switch response.status {
        case 200..<300:
            let events = try GitHub.events(in: response)
            failures = 0
            interval = response.pollInterval ?? Self.interval
            due = now + max(interval, Self.shortestInterval)
            return outside.perform(
                "fetched",
                PollResult(
                    repository: repository, etag: response["ETag"], lastModified: response["Last-Modified"],
                    events: events))
        case 304:
            failures = 0
            // A header field that a 304 omits keeps its value (RFC 9110, section 15.4.5).
            interval = response.pollInterval ?? interval
            due = now + max(interval, Self.shortestInterval)
            return outside.perform("unchanged", RepositoryName(repository: repository))
        case 404: return fail("there is no repository \(repository)")
        default:
            guard let pause = GitHub.pause(after: response, at: outside.now) else {
                return fail("GitHub answered \(response.status)")
            }
            return outside.perform("limited", pause).flatMap { _ in self.fail(pause.reason) }
        }
    }

    /// Ends a failed round, with exponential backoff for the next.
    private func fail(_ reason: String) -> Observable<Answer> {
        let longest = min(Self.firstRetry * (1 << min(failures, 10)), Self.lastRetry)
        failures += 1
        // Jitter keeps pollers that failed together from retrying together.
        let wait = longest / 2 + longest / 2 * (Double(outside.random.next() % 1_000) / 1_000)
        due = outside.scheduler.now + wait
        return outside.perform("failed", PollFailure(repository: repository, reason: reason))
    }
}
