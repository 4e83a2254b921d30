import CLinux
import Glibc

/// POSIX signals delivered as events of a loop.
package final class Signals: Channel {
    private let descriptor: Int32
    private let hear: (Int32) -> Void

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

    /// Delivers blocked signals to `hear` on a loop.
    package init(_ signals: [Int32], on loop: EventLoop, _ hear: @escaping (Int32) -> Void) throws(SystemFailure) {
        var set = Self.set(of: signals)
        descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        guard descriptor >= 0 else { throw SystemFailure("receive signals") }
        self.hear = hear
        _ = try loop.register(descriptor, self)
    }

    /// Reads the pending signals.
    package func ready(_ readiness: Readiness) {
        var info = signalfd_siginfo()
        while uninterrupted({ read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) })
            == MemoryLayout<signalfd_siginfo>.size
        {
            hear(Int32(info.ssi_signo))
        }
    }
}
