import Glibc
import HTTP
import Sockets

/// A request that another node has forwarded: it is served by this process over a pair of connected sockets.
final class RequestInProcess: Channel {
    /// The maximum number of bytes of an answer.
    private static let limit = 1_000_000

    private let loop: EventLoop
    private let socket: Socket
    private let request: [UInt8]
    private var sent = 0
    private var answer: [UInt8] = []
    private var registration: Registration?
    private let done: @Sendable ([UInt8]) -> Void

    /// Serves a request on a loop, and calls `done` with the bytes of the answer; without any if there is none.
    static func serve(
        _ request: [UInt8], by server: Server, on loop: EventLoop, _ done: @escaping @Sendable ([UInt8]) -> Void
    ) {
        var pair: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return done([]) }
        let serving = RequestInProcess(request, Socket(descriptor: pair[1]), on: loop, done)
        guard serving.begin() else {
            Socket(descriptor: pair[0]).close()
            return
        }
        server.take(Socket(descriptor: pair[0]))
    }

    private init(
        _ request: [UInt8], _ socket: Socket, on loop: EventLoop, _ done: @escaping @Sendable ([UInt8]) -> Void
    ) {
        (self.request, self.socket, self.loop, self.done) = (request, socket, loop, done)
    }

    private func begin() -> Bool {
        do throws(SystemFailure) {
            registration = try loop.register(socket.descriptor, self)
            return true
        } catch {
            socket.close()
            done([])
            return false
        }
    }

    func ready(_ readiness: Readiness) {
        while sent < request.count {
            guard case .moved(let count) = socket.write(request, from: sent) else { break }
            sent += count
        }
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { room in
            while registration != nil {
                switch socket.read(into: room) {
                case .moved(let count):
                    answer += room[..<count]
                    if answer.count > Self.limit { end([]) }
                case .wouldBlock: return
                case .ended: end(answer)
                case .broken: end([])
                }
            }
        }
    }

    private func end(_ answer: [UInt8]) {
        guard let registration else { return }
        self.registration = nil
        loop.deregister(registration)
        socket.close()
        done(answer)
    }
}
