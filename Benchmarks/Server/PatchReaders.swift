import Glibc
import Platform
import HeadwaterServer
import Sockets
import Systems

/// A whole service in this process, with readers that take patches of the products of the catalog.
///
/// Each commit changes one product. The readers are ends of socket pairs, and read after each commit.
private final class PatchReaders {
    private let service: HandTurnedService
    private let actor: Socket
    private var readers: [Socket] = []
    private var room = [UInt8](repeating: 0, count: 65_536)
    private let productCount: Int

    init(of productCount: Int, readerCount: Int) throws {
        self.productCount = productCount
        service = try HandTurnedService(systems(), time: { MonotonicTime.now }, seed: 1)
        actor = try Self.connect(to: service)
        for id in 1...productCount { put(id, price: 1) }
        let tag = try tag()
        for _ in 0..<readerCount {
            let reader = try Self.connect(to: service)
            // A reader that resumes gets no whole value first.
            send(
                "GET /v1/spaces/main/catalog/products?events=1&delta=json-patch&lastEventId=\(tag) HTTP/1.1\r\nHost: localhost\r\n\r\n",
                reader)
            service.turn()
            readers.append(reader)
        }
        drain()
    }

    deinit {
        actor.close()
        for reader in readers { reader.close() }
    }

    private static func connect(to service: HandTurnedService) throws -> Socket {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemFailure("make a pair of sockets") }
        service.take(Socket(descriptor: ends[1]))
        return Socket(descriptor: ends[0])
    }

    private func send(_ text: String, _ socket: Socket) {
        _ = socket.write(Array(text.utf8), from: 0)
    }

    /// Reads the received bytes, and returns the first of them.
    private func read(_ socket: Socket) -> String? {
        guard case .moved(let count) = room.withUnsafeMutableBytes({ socket.read(into: $0) }) else { return nil }
        return String(decoding: room[..<min(count, 1_024)], as: UTF8.self)
    }

    private func tag() throws -> String {
        send("HEAD /v1/spaces/main/catalog/products HTTP/1.1\r\nHost: localhost\r\n\r\n", actor)
        service.turn()
        guard let head = read(actor), let start = head.firstRange(of: "ETag: \"") else {
            throw SystemFailure("read the tag of the products")
        }
        return String(head[start.upperBound...].prefix { $0 != "\"" })
    }

    private func put(_ id: Int, price: Int) {
        let body = "{\"id\":\(id),\"name\":\"product number \(id)\",\"price\":\(price)}"
        send(
            "POST /v1/spaces/common/catalog/put HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", actor)
        service.turn()
        _ = room.withUnsafeMutableBytes { actor.read(into: $0) }
    }

    private func drain() {
        room.withUnsafeMutableBytes { room in
            for reader in readers { _ = reader.read(into: room) }
        }
    }

    /// Changes one product, and lets all readers read.
    func change(_ number: Int) {
        put(1 + number * 77_773 % productCount, price: 1 + number % 1_000)
        drain()
    }

    /// Permits as many descriptors as the process may have.
    static func permitDescriptors() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

private func changes(of count: Int, readers: Int) -> (Int) -> Void {
    PatchReaders.permitDescriptors()
    do {
        let readers = try PatchReaders(of: count, readerCount: readers)
        return { readers.change($0) }
    } catch {
        preconditionFailure("the readers cannot be set up: \(error)")
    }
}

/// A commit that 1,000 readers get as a patch, through the whole service: the cost depends on the size of the change.
let patchComparisons = MeasurementGroup(
    name: "patches",
    comparisons: [1_000, 100_000].flatMap { count in
        [1, 1_000].map { readers in
            Comparison(
                name: "a commit with \(readers) patch readers: one row of \(count), beside one of 10", allowed: 3,
                operations: readers > 1 ? 50 : 1_000, ours: { changes(of: count, readers: readers) },
                limit: { changes(of: 10, readers: readers) })
        }
    })
