import Ground
import Platform
import Sockets

/// A request that this process sends to a server of its own: for another node, or for an agent.
///
/// A connection without a socket serves it: its bytes, and those of the answer, stay in the memory of the process. The
/// closures are called on the loop of that connection, `ended` once and last.
package final class RequestInProcess: Sendable {
    /// The loop of the connection, and the connection; nil before and after.
    private struct Serving {
        var connection: (loop: EventLoop, object: Confined<Connection>)?
        var isEnded = false
    }

    let bytes: [UInt8]
    /// The address of the client for whom the request is sent; nil for none.
    let clientAddress: String?
    private let received: @Sendable ([UInt8]) -> Bool
    private let ended: @Sendable () -> Void
    private let serving = Lock(Serving())

    /// A request whose answer goes to `received`, in pieces. If that returns false, the request ends.
    package init(
        _ bytes: [UInt8], clientAddress: String? = nil, received: @escaping @Sendable ([UInt8]) -> Bool,
        ended: @escaping @Sendable () -> Void
    ) {
        (self.bytes, self.clientAddress, self.received, self.ended) = (bytes, clientAddress, received, ended)
    }

    /// Ends the request. Thread-safe.
    package func close() {
        let connection = serving.with { serving in
            serving.isEnded = true
            return serving.connection
        }
        guard let connection else { return }
        connection.loop.post { connection.object.value.close() }
    }

    // MARK: The side of the connection

    /// A connection begins to serve the request, or goes on with it on another loop. Returns false if the request has ended.
    func begin(_ connection: Connection, on loop: EventLoop) -> Bool {
        let owned = Confined(connection)
        return serving.with { serving in
            if !serving.isEnded { serving.connection = (loop, owned) }
            return !serving.isEnded
        }
    }

    /// Takes bytes of the answer. Returns false if nobody wants more.
    func take(_ bytes: [UInt8]) -> Bool { received(bytes) }

    /// The connection has closed.
    func end() {
        serving.with { $0 = Serving(isEnded: true) }
        ended()
    }
}
