import Glibc

/// The monotonic clock: nanoseconds since the machine started.
public enum MonotonicClock {
    /// The current time.
    public static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
