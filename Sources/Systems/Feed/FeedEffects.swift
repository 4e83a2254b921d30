import JSON
import Reactive
import StateStore

/// The effects that report a space's follows to `common`, and search.
struct FeedEffects: Effects {
    let tell: Effect
    let refresh: Effect
    let search: Effect

    init(_ feed: FeedState, _ activity: ReadOnly<ActivityState>, _ outside: Outside, _ gitHub: GitHub) {
        tell = Effect(each: feed.outbox) { repository, news in
            news.flatMapLatest { news in
                let enrolment = Enrolment(repository: repository, space: outside.space.description)
                return outside.perform(news.isFollowed ? "activity/enrol" : "activity/withdraw", enrolment, in: .common)
                    .flatMap { _ in
                        outside.perform("told", DeliveryReceipt(repository: repository, number: news.number))
                    }
            }
        }

        refresh = Effect(for: feed.refreshAsked) { request in
            outside.perform("activity/refresh", Repositories(repositories: request.repositories), in: .common)
                .flatMap { _ in outside.perform("refreshed", RequestNumber(number: request.number)) }
        }

        search = Effect(for: feed.trending) { trending in
            func fail(_ reason: String) -> Observable<Answer> {
                outside.perform("notFound", SearchFailure(number: trending.number, reason: reason))
            }
            return activity.pause.first()
                .flatMap { pause -> Observable<OutgoingResponse> in
                    if let pause, pause.until > Int(outside.now.microseconds) { throw UnusableResponse(pause.reason) }
                    return outside.fetch(gitHub.trending(trending.language, count: trending.count))
                        .withTimeoutAndRetries(on: outside.scheduler)
                }
                .flatMap { response -> Observable<Answer> in
                    if let pause = GitHub.pause(after: response, at: outside.now) {
                        return outside.perform("activity/limited", pause, in: .common).flatMap { _ in fail(pause.reason)
                        }
                    }
                    let found = try GitHub.repositories(in: response, of: trending.language, limit: trending.count)
                    return outside.perform("found", SearchResult(number: trending.number, repositories: found))
                }
                .catch { fail(Outside.words(for: $0)) }
        }
    }
}
