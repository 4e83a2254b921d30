internal import Glibc

/// Threads that are joined together.
public struct SystemThreadGroup: ~Copyable, Sendable {
    private var handles: [pthread_t] = []

    /// A group without threads.
    public init() {}

    /// Starts a thread that runs `work`.
    public mutating func start(_ work: @escaping @Sendable () -> Void) throws(SystemThread.Failure) {
        handles.append(try SystemThread(work).handle)
    }

    /// Waits until all closures have returned.
    public consuming func join() {
        for handle in handles { pthread_join(handle, nil) }
    }
}
