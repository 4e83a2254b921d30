internal import Glibc

/// A thread of the system that runs one closure and is joined.
@safe public struct SystemThread: ~Copyable, Sendable {
    /// The system could not start a thread; `code` is its error number.
    public struct Failure: Error, CustomStringConvertible {
        /// The error number of `pthread_create`.
        public let code: Int32

        /// The failure in words.
        public var description: String { "the system starts no thread (error \(code)): raise the limit of processes" }
    }

    let handle: pthread_t

    /// Starts a thread that runs `work`.
    public init(_ work: @escaping @Sendable () -> Void) throws(Failure) {
        var handle = pthread_t()
        let box = unsafe Unmanaged.passRetained(Work(work))
        let code = unsafe pthread_create(
            &handle, nil,
            { box in
                if let box = unsafe box { unsafe Unmanaged<Work>.fromOpaque(box).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            throw Failure(code: code)
        }
        self.handle = handle
    }

    /// Lowers the priority of the calling thread, so that threads with short work come first.
    public static func yieldToOthers() {
        // On Linux the process 0 is the calling thread.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    }

    /// Waits until the closure has returned.
    public consuming func join() {
        pthread_join(handle, nil)
    }

    /// Gives up the right to join: the thread ends by itself.
    public consuming func detach() {
        pthread_detach(handle)
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
