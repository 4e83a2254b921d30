import Glibc
import HTTP
import Sockets

/// A request that this process sends to itself over a pair of connected sockets: for another node, or for an agent.
final class RequestInProcess: Channel {
    /// The maximum number of bytes of an answer for another node.
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
    private var registration: Registration?
    /// Takes bytes of the answer as they come. Returns false to end the request.
    private let take: (Slice<UnsafeMutableRawBufferPointer>) -> Bool
    /// Called once, after the last byte or if there is none; true if the request surely has not run.
    private let ended: (_ isUnsent: Bool) -> Void

    /// Passes one of the sockets to `take`, sends a request over the other, and calls `done` with the bytes of the
    /// answer; without any if the request surely has not run.
    static func serve(
        _ request: [UInt8], on loop: EventLoop, by take: (Socket) -> Void, limit: Int = limit,
        _ done: @escaping @Sendable ([UInt8]) -> Void
    ) {
        var answer: [UInt8] = []
        var isTooLarge = false
        _ = open(
            request, on: loop, by: take,
            received: { bytes in
                answer += bytes
                isTooLarge = answer.count > limit
                return !isTooLarge
            },
            ended: { isUnsent in
                done(isTooLarge ? tooLarge : !answer.isEmpty ? answer : isUnsent ? [] : lost)
            })
    }

    /// Passes one of the sockets to `take`, and sends a request over the other, whose answer may never end. Returns nil if
    /// there are no sockets; then `ended` was called.
    static func open(
        _ request: [UInt8], on loop: EventLoop, by take: (Socket) -> Void,
        received: @escaping (Slice<UnsafeMutableRawBufferPointer>) -> Bool, ended: @escaping (_ isUnsent: Bool) -> Void
    ) -> RequestInProcess? {
        var pair: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            ended(true)
            return nil
        }
        let serving = RequestInProcess(request, Socket(descriptor: pair[1]), on: loop, received, ended)
        guard serving.begin() else {
            Socket(descriptor: pair[0]).close()
            return nil
        }
        take(Socket(descriptor: pair[0]))
        return serving
    }

    private init(
        _ request: [UInt8], _ socket: Socket, on loop: EventLoop,
        _ take: @escaping (Slice<UnsafeMutableRawBufferPointer>) -> Bool, _ ended: @escaping (Bool) -> Void
    ) {
        (self.request, self.socket, self.loop, self.take, self.ended) = (request, socket, loop, take, ended)
    }

    private func begin() -> Bool {
        do throws(SystemFailure) {
            registration = try loop.register(socket.descriptor, self)
            return true
        } catch {
            socket.close()
            ended(true)
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
                case .moved(let count): if !take(room[..<count]) { close() }
                case .wouldBlock: return
                case .ended, .broken: close()
                }
            }
        }
    }

    /// Ends the request, if its answer has not ended.
    func close() {
        guard let registration else { return }
        self.registration = nil
        loop.deregister(registration)
        socket.close()
        ended(sent == 0)
    }
}
