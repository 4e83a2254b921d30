internal import Glibc

/// The time since an unnamed moment, in nanoseconds, by a clock that is never set.
public enum MonotonicTime {
    /// Nanoseconds by now.
    public static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
