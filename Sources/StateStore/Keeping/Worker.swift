import Glibc

/// A thread of our own, for what may block.
package final class Worker: Sendable {
    private let thread: pthread_t

    /// Starts a thread that does `work`.
    package init(_ work: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Work(work))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        precondition(failure == 0, "no thread can be had: error \(failure)")
        self.thread = thread
    }

    /// Waits until its work is done.
    package func join() {
        pthread_join(thread, nil)
    }

    /// Lets it end by itself: nobody joins it.
    package func detach() {
        pthread_detach(thread)
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
