import Reactive

@MainActor static func values(_ count: Observable<Int>, _ graph: Graph) async throws {
    // snippet
}
