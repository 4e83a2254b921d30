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
    /// The address of the client for whom this process sends the requests.
    let clientAddress: String?
}
