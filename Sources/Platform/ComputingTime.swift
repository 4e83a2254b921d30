internal import Glibc

/// The computing time of the calling thread, in nanoseconds. It stands still while the thread waits, also for a processor.
public enum ComputingTime {
    /// Nanoseconds since the thread began. A call costs several times as much as one of `MonotonicTime.now`.
    public static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
