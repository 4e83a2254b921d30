import Glibc

/// The thread's processor time, which excludes the time of other programs.
enum Processor {
    /// Returns the processor time of `work` on this thread, in nanoseconds.
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
