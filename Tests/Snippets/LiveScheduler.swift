import Reactive

@MainActor static func live(_ text: Observable<String>) {
    // snippet
    _ = typed
}
