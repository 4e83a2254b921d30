internal import Glibc
internal import StateStore

/// A thread that does one thing and is waited for.
@safe
struct Thread: ~Copyable, Sendable {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let handle: pthread_t

    init(_ body: @escaping @Sendable () -> Void) throws(JournalFailure) {
        var handle = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body))
        let code = unsafe pthread_create(
            &handle, nil,
            { work in
                if let work = unsafe work { unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            unsafe work.release()
            throw .unusable("No thread could be started", code)
        }
        self.handle = handle
    }

    /// Waits for its end.
    consuming func join() {
        pthread_join(handle, nil)
    }
}
