import JSON
import Reactive
import StateStore

/// The view of the followed repositories.
struct FeedViewModel: ViewModel {
    let events: Observable<[FeedEvent]>
    let repositories: OrderedRows<String, String>
    let isRefreshing: Observable<Bool>
    let lastUpdated: Observable<String?>
    let problem: Observable<String?>

    init(_ feed: FeedState, _ activity: ReadOnly<ActivityState>) {
        let sources = feed.repositories.joined(with: activity.sources) { _, _, source in source }
            .sorted()
            .map { $0.rows }

        events = feed.repositories
            .joined(with: activity.events) { _, follow, known in Array((known?.events ?? []).prefix(follow.eventsLimit))
            }
            .sorted()
            .map { FeedEvent.merged($0.rows) }
            .removeDuplicates()
        repositories = feed.repositories
            .sorted(by: .ascending(\.since).then(.ascending(\.place)))
            .map { name, _ in name }
        isRefreshing = combineLatest(feed.refreshAsked, feed.trending, feed.outbox.rowCount(), sources)
            .map { refresh, trending, untold, sources in
                refresh != nil || trending != nil || untold > 0 || sources.contains { $0?.isAwaited ?? false }
            }
            .removeDuplicates()
        lastUpdated =
            sources
            .map { sources in sources.compactMap { $0?.updatedAt }.max().map { Timestamp(microseconds: Int64($0)).text }
            }
            .removeDuplicates()
        problem = combineLatest(feed.trendingProblem, sources, activity.pause)
            .map { trendingProblem, sources, pause in
                let isAwaited = sources.contains { $0?.isAwaited ?? false }
                return trendingProblem ?? sources.lazy.compactMap { $0?.problem }.first
                    ?? (isAwaited ? pause?.reason : nil)
            }
            .removeDuplicates()
    }
}

extension Timestamp {
    /// The time in UTC, to the second: `2026-01-31T12:00:00Z`.
    var text: String {
        let seconds = microseconds / 1_000_000
        // Days since 1 March of the year 0. A year from March ends with its leap day, so the day of the year determines
        // the month.
        let days = seconds / 86_400 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(year)-\(two(month))-\(two(day))"
        return "\(date)T\(two(seconds / 3_600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))Z"
    }
}
