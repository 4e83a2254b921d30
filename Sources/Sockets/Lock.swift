import Glibc

/// A lock around something that several threads use. It is the system's own, because the thread sanitizer understands that one.
public final class Lock<Value>: @unchecked Sendable {
    // Sendable because the value is touched only while the lock is held.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// A lock around a value.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Does something with the value while nobody else can.
    @inline(__always)
    public func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
