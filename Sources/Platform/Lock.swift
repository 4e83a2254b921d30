public import Glibc

/// A value that one thread uses at a time.
///
/// The lock is the system's mutex, not `Synchronization.Mutex`: the thread sanitizer does not see into the latter and reports false races.
/// An uncontended lock costs about 10 ns, a contended one 30 ns.
@safe public final class Lock<Value: ~Copyable>: @unchecked Sendable {
    // Sendable because the value is touched only while the mutex is held.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// A lock around a value.
    public init(_ value: consuming sending Value) {
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread can use it. `body` must not use the same lock: it would wait for itself.
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }

    /// Runs `body` as `withLock` does if no other thread uses the value, else returns nil at once.
    @inlinable
    public func withLockIfFree<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}

extension Lock where Value: Copyable {
    /// Runs `body` with the value while no other thread can use it, as `withLock`, for results that need not be sent.
    ///
    /// A function as the whole value would get slower with each call: Swift wraps it anew on its way out and back. Put it
    /// into a struct or a list.
    @inlinable
    public func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}
