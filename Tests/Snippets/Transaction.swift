import Reactive

static func commit(_ count: Variable<Int>, _ graph: Graph) {
    // snippet
}
