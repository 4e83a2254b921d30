import CLinux
import Glibc

/// Signals of the system as events of a loop. To be made before any other thread is, since threads inherit which signals are held back.
public final class Signals: Channel {
    private let descriptor: Int32
    private let hear: (Int32) -> Void

    /// Has signals told, on a loop, in place of what they do otherwise.
    public init(_ signals: [Int32], on loop: EventLoop, _ hear: @escaping (Int32) -> Void) throws(SystemFailure) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        guard descriptor >= 0 else { throw SystemFailure("hear of signals") }
        self.hear = hear
        _ = try loop.register(descriptor, self)
    }

    /// Reads which signals have come.
    public func ready(_ readiness: Readiness) {
        var info = signalfd_siginfo()
        while uninterrupted({ read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) }) == MemoryLayout<signalfd_siginfo>.size {
            hear(Int32(info.ssi_signo))
        }
    }
}
