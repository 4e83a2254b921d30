internal import Sockets

/// A connection that moves to another loop, with the bytes of the request that belongs there and all later bytes.
struct ConnectionHandoff: Sendable {
    let socket: Socket
    let bytes: [UInt8]
    let output: [UInt8]
    let wasToldToContinue: Bool
    let hasEnded: Bool
    /// The loop that the connection comes from, by its index.
    let home: Int
    /// The request of this process that the connection serves; nil for a connection of a client.
    let inProcess: RequestInProcess?
}
