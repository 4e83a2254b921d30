/// A reader of one view. The view stays watched as long as the reader lives.
package final class Watching: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}
