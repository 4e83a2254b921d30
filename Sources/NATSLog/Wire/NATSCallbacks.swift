import CNATS
import Platform

/// The receivers of libnats' calls, by id. An id that has been removed receives nothing any more.
enum NATSCallbacks {
    typealias Receiver = @Sendable (NATSMessage) -> Void

    private struct CallbackTable {
        var lastID: UInt = 0
        var receivers: [UInt: Receiver] = [:]
        var ends: [UInt: @Sendable () -> Void] = [:]
    }

    private static let content = Lock(CallbackTable())

    /// Loads libnats; throws the reason if it is missing.
    static func load() throws(NATSFault) {
        let lack = hw_nats_load(
            { id, message in
                guard let receiver = NATSCallbacks.content.with({ $0.receivers[id] }) else { return }
                receiver(NATSMessage(message))
            },
            { id in NATSCallbacks.content.with { $0.ends.removeValue(forKey: id) }?() })
        if let lack { throw .unusable(String(cString: lack)) }
    }

    static func add(_ receiver: @escaping Receiver) -> UInt {
        content.with { content in
            content.lastID += 1
            content.receivers[content.lastID] = receiver
            return content.lastID
        }
    }

    static func add(end: @escaping @Sendable () -> Void) -> UInt {
        content.with { content in
            content.lastID += 1
            content.ends[content.lastID] = end
            return content.lastID
        }
    }

    static func remove(_ id: UInt) {
        content.with { content in
            content.receivers[id] = nil
            content.ends[id] = nil
        }
    }
}
