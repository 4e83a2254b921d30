internal import CAllowance

/// The steps that one piece of work of a thread may take in all, and the bytes of values that it may make: all that one
/// request, one commit or one job of a loop causes. The evaluations of views and streams share them, so that a loop goes
/// on to other work in bounded time, and its memory stays bounded.
package enum WorkAllowance {
    /// Begins a piece of work of the calling thread. Without a call the allowance has no end.
    @inline(__always)
    package static func begin(_ steps: Int, bytes: Int = .max) {
        set_work_steps_left(steps)
        set_work_bytes_left(bytes)
    }

    /// True if the present work has taken more steps than it may, or has made more bytes.
    package static var isSpent: Bool { work_steps_left() < 0 || lacksBytes }

    /// True if the present work has made more bytes of values than it may.
    package static var lacksBytes: Bool { work_bytes_left() < 0 }

    /// Counts steps of the present work.
    package static func spend(_ steps: Int) {
        let left = work_steps_left()
        set_work_steps_left(left &- steps)
    }

    /// Counts bytes of a value that the present work has made.
    package static func spend(bytes: Int) {
        let left = work_bytes_left()
        set_work_bytes_left(left &- bytes)
    }
}
