internal import Glibc

/// What a thread waits for: to be rung, a time, or the end.
///
/// Sendable because what it points to is the system's own lock and condition, and its two flags are touched only while the lock is held.
@safe final class Bell: @unchecked Sendable {
    /// Why a wait is over.
    enum Reason {
        case rung, late, stopped
    }

    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isRung = false
    private var isStopped = false

    init() {
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(lock)
        unsafe condition.deallocate()
        unsafe lock.deallocate()
    }

    /// Ends the next wait, or the one under way. Rung twice before anyone came is rung once.
    func ring() {
        unsafe pthread_mutex_lock(lock)
        isRung = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(lock)
    }

    /// Ends every wait from now on.
    func stop() {
        unsafe pthread_mutex_lock(lock)
        isStopped = true
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(lock)
    }

    /// Waits until it is rung, or until a time of `now`, in nanoseconds.
    func wait(until deadline: Int?) -> Reason {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        while !isStopped, !isRung {
            if let deadline {
                var time = timespec(tv_sec: deadline / 1_000_000_000, tv_nsec: deadline % 1_000_000_000)
                if unsafe pthread_cond_timedwait(condition, lock, &time) == ETIMEDOUT { return .late }
            } else {
                unsafe pthread_cond_wait(condition, lock)
            }
        }
        if isStopped { return .stopped }
        isRung = false
        return .rung
    }

    /// Nanoseconds of a clock that nobody sets.
    static var now: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
