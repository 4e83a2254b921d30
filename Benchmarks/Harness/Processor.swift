import Glibc

/// The processor's time, which unlike the clock on the wall does not run while somebody else's program does.
enum Processor {
    /// How many nanoseconds this thread spends on `work`.
    static func nanoseconds(_ work: () -> Void) -> Double {
        let start = now
        work()
        return now - start
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
