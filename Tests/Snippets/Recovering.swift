import Reactive

static func retry(_ feed: Observable<Int>, _ scheduler: LiveScheduler) -> Observable<Int> {
    // snippet
}
