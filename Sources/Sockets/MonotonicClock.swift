import Glibc

/// The time since the machine was started, in nanoseconds: it never goes back.
public enum MonotonicClock {
    /// The time.
    public static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
