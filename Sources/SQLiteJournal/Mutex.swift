#if THREAD_SANITIZER
    internal import Glibc

    /// Stands in for the library's lock where the thread sanitizer looks, which does not see into that and would take what it guards for unguarded.
    ///
    /// Sendable because the value is touched only while the lock is held.
    @safe final class Mutex<Value>: @unchecked Sendable {
        private var value: Value
        private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

        init(_ value: sending Value) {
            self.value = value
            unsafe lock.initialize(to: pthread_mutex_t())
            unsafe pthread_mutex_init(lock, nil)
        }

        deinit {
            unsafe pthread_mutex_destroy(lock)
            unsafe lock.deallocate()
        }

        func withLock<Result, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            unsafe pthread_mutex_lock(lock)
            defer { unsafe pthread_mutex_unlock(lock) }
            return try body(&value)
        }
    }
#endif
