import Glibc
@testable import HTTP
import Sockets
import Testing

/// The queue of unsent bytes of a connection.
@Suite struct SendQueueTests {
    private func text(_ outbox: borrowing Outbox) -> String { String(decoding: outbox.bytes, as: UTF8.self) }

    @Test func `an outbox grows with the written bytes`() {
        var outbox = Outbox()
        var expected = ""
        for number in Array(0...1_100) + [
            9_999, 10_000, 10_001, 12_345_678, 999_999_999_999_999_999, 1_000_000_000_000_000_000, Int.max,
        ] {
            outbox.append(number)
            outbox.append(", ")
            outbox.append(hexadecimal: UInt64(number))
            outbox.append(text: " é\n")
            outbox.append([UInt8](repeating: 0x78, count: number % 500))
            expected += "\(number), \(String(number, radix: 16)) é\n" + String(repeating: "x", count: number % 500)
            #expect(text(outbox) == expected && outbox.count == expected.utf8.count)
        }
        outbox.append(hexadecimal: .max)
        #expect(text(outbox) == expected + "ffffffffffffffff")
        let taken = outbox.take()
        #expect(outbox.isEmpty && outbox.capacity == 0 && text(taken).hasSuffix("ff"))
    }

    /// Returns the two ends of a connection. The first has a small send buffer.
    private func pair() throws -> (Socket, Socket) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        var size: Int32 = 4_096
        setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        return (Socket(descriptor: ends[0]), Socket(descriptor: ends[1]))
    }

    @Test(arguments: [0, 1, 50_000], [0, 1, 50_000]) func `all is sent in its order, in however many goes`(
        _ shared: Int, _ own: Int
    ) throws {
        let (socket, other) = try pair()
        defer {
            socket.close()
            other.close()
        }
        let piece = (0..<shared).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let bytes = (0..<own).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var pool = BufferPool()
        var output = SendQueue()
        output.share(Rope(piece), from: min(shared, 1))
        output.borrow(from: &pool)
        output.own.append(bytes)
        #expect(pool.count == 0 && output.count == max(0, shared - 1) + own)
        var sent: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
        defer { room.deallocate() }
        while case .wouldBlock = output.send(on: socket) {
            // Waiting bytes do not hold the shared buffer.
            output.giveBack(to: &pool)
            #expect(
                pool.count == 1
                    && output.rest == Array((piece.dropFirst() + bytes).dropFirst(sent.count + unread(other))))
            guard case .moved(let count) = other.read(into: room) else { break }
            sent += room[..<count]
        }
        while case .moved(let count) = other.read(into: room) { sent += room[..<count] }
        #expect(sent == piece.dropFirst() + bytes)
        #expect(output.isEmpty && output.count == 0 && output.rest.isEmpty)
        output.giveBack(to: &pool)
        #expect(pool.count == 1 && output.own.capacity == 0)
    }

    /// Returns the number of received, unread bytes.
    private func unread(_ socket: Socket) -> Int {
        var count: Int32 = 0
        _ = ioctl(socket.descriptor, UInt(FIONREAD), &count)
        return Int(count)
    }

    @Test func `an oversized buffer is not kept, and the pool is bounded`() {
        var pool = BufferPool()
        var output = SendQueue()
        output.borrow(from: &pool)
        output.own.append([UInt8](repeating: 1, count: BufferPool.bytesLimit + 1))
        output.removeAll()
        output.giveBack(to: &pool)
        #expect(pool.count == 0 && output.own.capacity == 0)
        // The buffer grows from 0 bytes again.
        output.borrow(from: &pool)
        output.own.append("abc")
        #expect(text(output.own) == "abc")
        output.removeAll()
        output.giveBack(to: &pool)
        // The next owner does not see the old contents.
        output.borrow(from: &pool)
        #expect(pool.count == 0 && output.own.isEmpty && output.own.capacity == BufferPool.bytesAtFirst)
        for _ in 0...BufferPool.limit { pool.keep(Outbox(capacity: 64)) }
        #expect(pool.count == BufferPool.limit)
    }

    @Test func `large content is sent after earlier bytes without a copy`() throws {
        let (socket, other) = try pair()
        defer {
            socket.close()
            other.close()
        }
        let large = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 5) }
        var pool = BufferPool()
        var output = SendQueue()
        output.borrow(from: &pool)
        for _ in 0..<2 {
            output.own.append("head ")
            output.append(Rope(large))
            output.append(Rope(Array("small ".utf8)))
        }
        let all = Array("head ".utf8) + large + Array("small head ".utf8) + large + Array("small ".utf8)
        #expect(output.own.capacity < SendQueue.sharedBytesAtLeast)
        #expect(output.count == all.count && output.rest == all)
        var sent: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
        defer { room.deallocate() }
        while !output.isEmpty {
            if case .moved = output.send(on: socket) {} else { output.giveBack(to: &pool) }
            while case .moved(let count) = other.read(into: room) { sent += room[..<count] }
        }
        #expect(sent == all && output.count == 0)
    }

    @Test(arguments: 0..<40) func `ropes of many parts are sent in their order, in however many goes`(
        _ seed: Int
    ) throws {
        let (socket, other) = try pair()
        defer {
            socket.close()
            other.close()
        }
        var state = UInt64(seed) &* 2_862_933_555_777_941_757 &+ 3_037_000_493
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var pool = BufferPool()
        var output = SendQueue()
        var all: [UInt8] = []
        output.borrow(from: &pool)
        for _ in 0..<1 + random(5) {
            // Some parts are empty, some ropes have more parts than one call writes.
            let parts = (0..<random(200)).map { _ in
                [UInt8](repeating: UInt8(random(256)), count: random(3) == 0 ? 0 : random(1_000))
            }
            output.append(Rope(parts))
            all += parts.joined()
            output.own.append("tail")
            all += Array("tail".utf8)
        }
        #expect(output.count == all.count && output.rest == all)
        var sent: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 10_000, alignment: 1)
        defer { room.deallocate() }
        while !output.isEmpty {
            if case .moved = output.send(on: socket) {} else { output.giveBack(to: &pool) }
            #expect(output.count == all.count - sent.count - unread(other))
            while case .moved(let count) = other.read(into: room) { sent += room[..<count] }
        }
        #expect(sent == all && output.count == 0)
    }
}
