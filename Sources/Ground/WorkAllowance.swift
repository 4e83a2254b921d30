internal import CAllowance

/// The steps that one piece of work of a thread may take in all: all that one request, one commit or one job of a loop
/// causes. The evaluations of views and streams share it, so that a loop goes on to other work in bounded time.
public enum WorkAllowance {
    /// Begins a piece of work of the calling thread. Without a call the allowance has no end.
    @inline(__always)
    public static func begin(_ steps: Int) { set_work_steps_left(steps) }

    /// True if the present work has taken more steps than it may.
    public static var isSpent: Bool { work_steps_left() < 0 }

    /// Counts steps of the present work.
    public static func spend(_ steps: Int) {
        let left = work_steps_left()
        set_work_steps_left(left &- steps)
    }
}
