import Glibc
import HTTP
import Sockets

/// A request that another node has forwarded: it is served by this process over a pair of connected sockets.
final class RequestInProcess: Channel {
    /// The maximum number of bytes of an answer.
    private static let limit = 1_000_000
    /// The answer to a request that may have run, and whose answer was lost: it is not whole.
    private static let lost: [UInt8] = [0]
    /// The answer in place of one that is too large. A repeat would be as large.
    private static let tooLarge: [UInt8] = {
        let body = Problem(.outcomeUnknown, "the answer is too large for another node").bytes
        let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }()

    private let loop: EventLoop
    private let socket: Socket
    private let request: [UInt8]
    private var sent = 0
    private var answer: [UInt8] = []
    private var registration: Registration?
    private let done: @Sendable ([UInt8]) -> Void

    /// Passes one of the sockets to `take`, sends a request over the other, and calls `done` with the bytes of the
    /// answer; without any if the request surely has not run.
    static func serve(
        _ request: [UInt8], on loop: EventLoop, by take: (Socket) -> Void,
        _ done: @escaping @Sendable ([UInt8]) -> Void
    ) {
        var pair: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return done([]) }
        let serving = RequestInProcess(request, Socket(descriptor: pair[1]), on: loop, done)
        guard serving.begin() else {
            Socket(descriptor: pair[0]).close()
            return
        }
        take(Socket(descriptor: pair[0]))
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
                    if answer.count > Self.limit { end(Self.tooLarge) }
                case .wouldBlock: return
                case .ended where !answer.isEmpty: end(answer)
                case .ended, .broken: end(sent == 0 ? [] : Self.lost)
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
