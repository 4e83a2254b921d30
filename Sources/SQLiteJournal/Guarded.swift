#if THREAD_SANITIZER
    internal import Glibc

    /// A value that one thread has at a time. The thread sanitizer does not see into the library's lock and would take what it guards for unguarded, so
    /// where that looks it is the system's lock.
    ///
    /// Sendable because the value is touched only while the lock is held.
    @safe final class Guarded<Value: ~Copyable>: @unchecked Sendable {
        private let value: UnsafeMutablePointer<Value>
        private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

        init(_ value: consuming sending Value) {
            unsafe self.value = .allocate(capacity: 1)
            unsafe self.value.initialize(to: value)
            unsafe lock.initialize(to: pthread_mutex_t())
            unsafe pthread_mutex_init(lock, nil)
        }

        deinit {
            unsafe value.deinitialize(count: 1)
            unsafe value.deallocate()
            unsafe pthread_mutex_destroy(lock)
            unsafe lock.deallocate()
        }

        func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            unsafe pthread_mutex_lock(lock)
            defer { unsafe pthread_mutex_unlock(lock) }
            return try unsafe body(&value.pointee)
        }
    }
#else
    internal import Synchronization

    /// A value that one thread has at a time.
    typealias Guarded = Mutex
#endif
