import CNATS
import Platform

/// A subscription of one connection. It ends with `end` or with the connection.
final class NATSSubscription: Sendable {
    private let id: UInt
    private let handle: Lock<NATSHandle?>

    init(_ id: UInt, _ handle: NATSHandle) {
        self.id = id
        self.handle = Lock(handle)
    }

    deinit {
        end()
    }

    func end() {
        NATSCallbacks.remove(id)
        let taken = handle.with { handle in
            defer { handle = nil }
            return handle
        }
        if let taken { hw_nats_unsubscribe(taken.pointer) }
    }
}
