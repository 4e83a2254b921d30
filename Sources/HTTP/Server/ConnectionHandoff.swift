internal import Sockets

/// A connection on its way to another loop, with the bytes of the request that belongs there and of all that came after
/// it.
struct ConnectionHandoff: Sendable {
    let socket: Socket
    let bytes: [UInt8]
    let output: [UInt8]
    let wasToldToContinue: Bool
    let hasEnded: Bool
}
