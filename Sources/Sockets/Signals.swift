import CLinux
import Glibc
package import Platform

/// POSIX signals, heard on a thread of their own: also while all loops compute.
package enum Signals {
    /// Blocks signals on this thread and on the threads that it starts later. Call it before any other thread starts,
    /// because the kernel delivers a process signal to any thread that does not block it.
    package static func holdBack(_ signals: [Int32]) {
        var set = set(of: signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }

    /// Calls `body` with each blocked signal, on one thread, until the process ends.
    package static func hear(
        _ signals: [Int32], _ body: @escaping @Sendable (Int32) -> Void
    ) throws(SystemThread.Failure) {
        try SystemThread {
            var set = set(of: signals)
            while true {
                var signal: Int32 = 0
                if sigwait(&set, &signal) == 0 { body(signal) }
            }
        }.detach()
    }
}
