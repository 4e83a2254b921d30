import Reactive

static func watch(_ count: Variable<Int>, _ graph: Graph) {
    // snippet
    subscription.cancel()
}
