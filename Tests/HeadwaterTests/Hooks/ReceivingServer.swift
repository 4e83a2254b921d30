import Foundation
import Glibc
import Platform
import Sockets

@testable import HeadwaterServer

/// A small HTTP server that accepts deliveries, and verifies their signatures with code of its own.
final class ReceivingServer: Sendable {
    struct Delivery: Sendable {
        let fields: [String: String]
        let body: [UInt8]
        let isSigned: Bool
    }

    let port: Int
    private let listener: Int32
    private let arrived = Lock<[Delivery]>([])
    private let arrival = Condition()
    /// The key of `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`.
    private static let key = Array(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") ?? Data())

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw Trouble("no port") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else {
                    Glibc.close(listener)
                    return
                }
                Thread { [self] in serve(socket) }.start()
            }
        }.start()
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The number of deliveries.
    var count: Int { arrived.with { $0.count } }

    /// Waits for a delivery with an id, and returns those of its type so far.
    func deliveries(of type: String, until id: String) throws -> [Delivery] {
        let deadline = MonotonicTime.now + 120_000_000_000
        while true {
            let found = arrived.with { $0.filter { $0.fields["ce-type"] == type } }
            if found.contains(where: { $0.fields["ce-id"] == id }) { return found }
            guard arrival.wait(until: deadline) == .signaled else { throw Trouble("\(id) of \(type) does not arrive") }
        }
    }

    private func serve(_ socket: Int32) {
        defer { Glibc.close(socket) }
        var bytes: [UInt8] = []
        while true {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
                guard more(socket, &bytes) else { return }
                continue
            }
            var fields: [String: String] = [:]
            for line in String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[parts[0].lowercased()] = parts.count == 2 ? String(parts[1].dropFirst()) : ""
            }
            let length = Int(fields["content-length"] ?? "0") ?? 0
            while bytes.count < end.upperBound + length { guard more(socket, &bytes) else { return } }
            let body = Array(bytes[end.upperBound..<end.upperBound + length])
            bytes.removeSubrange(..<(end.upperBound + length))
            let signed = Array("\(fields["webhook-id"] ?? "").\(fields["webhook-timestamp"] ?? "").".utf8) + body
            let code = "v1," + Data(HMAC.code(signed, key: Self.key)).base64EncodedString()
            let delivery = Delivery(fields: fields, body: body, isSigned: fields["webhook-signature"] == code)
            arrived.with { $0.append(delivery) }
            arrival.signal()
            let answer = "HTTP/1.1 204 No Content\r\n\r\n"
            guard send(socket, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) == answer.utf8.count else { return }
        }
    }

    private func more(_ socket: Int32, _ bytes: inout [UInt8]) -> Bool {
        var room = [UInt8](repeating: 0, count: 65_536)
        let count = read(socket, &room, room.count)
        guard count > 0 else { return false }
        bytes += room[..<count]
        return true
    }
}
