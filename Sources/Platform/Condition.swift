internal import Glibc

/// The wake-up call of one thread that waits for work: a signal, a deadline or the end.
///
/// A signal that comes while no thread waits ends the next wait. Several such signals are one.
@safe public final class Condition: @unchecked Sendable {
    // Sendable because the flags are touched only while the mutex is held.

    /// The reason that a wait is over.
    public enum Wakeup: Sendable {
        case signaled, timedOut, stopped
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignaled = false
    private var isStopped = false

    /// A condition without a signal.
    public init() {
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // Deadlines are times of a clock that is never set.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Ends the wait under way, or the next one.
    public func signal() {
        unsafe pthread_mutex_lock(mutex)
        isSignaled = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Ends every wait from now on.
    public func stop() {
        unsafe pthread_mutex_lock(mutex)
        isStopped = true
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits for a signal, for the end, or until `deadline` in nanoseconds of `MonotonicTime.now`.
    public func wait(until deadline: Int64? = nil) -> Wakeup {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !isStopped, !isSignaled {
            if let deadline {
                var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
                if unsafe pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return .timedOut }
            } else {
                unsafe pthread_cond_wait(condition, mutex)
            }
        }
        if isStopped { return .stopped }
        isSignaled = false
        return .signaled
    }
}
