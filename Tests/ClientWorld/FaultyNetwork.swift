package import HeadwaterClient
package import ServiceInProcess
import Synchronization

/// The way from one client to a service in process, with the faults that a test chooses. Bytes move only in `pump`.
package final class FaultyNetwork: ClientTransport {
    /// The faults of requests, each once in so many times; 0 for never.
    package struct Faults: Sendable {
        /// The request does not reach the server.
        package var lostRequests = 0
        /// The answer does not reach the client.
        package var lostAnswers = 0
        /// The request reaches the server twice; the client gets the second answer.
        package var duplicates = 0
        /// The request waits for some pumps.
        package var delays = 0
        /// A stream ends in the midst of its bytes.
        package var cuts = 0
        package init() {}
    }

    /// One request.
    private final class Passage {
        let number: Int
        let request: WireRequest
        let deliver: @Sendable (WireEvent) -> Void
        var connection: ConnectionInProcess?
        var hasHead = false
        var isDuplicate = false
        var answer: [UInt8] = []
        var delay = 0

        init(_ number: Int, _ request: WireRequest, _ deliver: @escaping @Sendable (WireEvent) -> Void) {
            (self.number, self.request, self.deliver) = (number, request, deliver)
        }
    }

    /// Confined to the thread of the test.
    private final class Confined: @unchecked Sendable {
        // Sendable because a test turns loop, network and service on one thread.
        var passages: [Passage] = []
        var next = 0
        var cancelled: Set<Int> = []
        var entropy: Entropy
        var faults = Faults()
        var isOnline = true
        var isDead = false
        var sent: [String] = []

        init(_ entropy: Entropy) {
            self.entropy = entropy
        }
    }

    private let confined: Confined

    package init(seed: UInt64) {
        confined = Confined(Entropy(seed: seed))
    }

    package var faults: Faults {
        get { confined.faults }
        set { confined.faults = newValue }
    }

    /// False while no request reaches the server and no byte the client.
    package var isOnline: Bool {
        get { confined.isOnline }
        set { confined.isOnline = newValue }
    }

    /// True once the process of the client is dead: it starts nothing more.
    package var isDead: Bool {
        get { confined.isDead }
        set { confined.isDead = newValue }
    }

    /// The lines of the requests that were sent, with their bodies.
    package var sent: [String] { confined.sent }

    private struct Ending: Cancellable {
        let confined: Confined
        let number: Int
        func cancel() { _ = confined.cancelled.insert(number) }
    }

    package func start(_ request: WireRequest, _ deliver: @escaping @Sendable (WireEvent) -> Void) -> any Cancellable {
        let number = confined.next
        confined.next += 1
        guard !isDead else { return Ending(confined: confined, number: number) }
        let passage = Passage(number, request, deliver)
        if hits(faults.delays) { passage.delay = 1 + confined.entropy.below(5) }
        confined.passages.append(passage)
        confined.sent.append("\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
        return Ending(confined: confined, number: number)
    }

    private func hits(_ chance: Int) -> Bool { chance > 0 && confined.entropy.isOne(in: chance) }

    /// Ends all connections, as a network does that fails.
    package func cutAll() {
        let passages = confined.passages
        confined.passages = []
        for passage in passages {
            passage.connection?.close()
            passage.deliver(.end(isEarly: true))
        }
    }

    /// Lets time pass for a client and its service, and moves what they send each other.
    package func pass(
        _ times: Int, of milliseconds: Int = 100, _ loop: HandLoop, _ service: ServiceInProcess
    ) throws {
        for _ in 0..<times {
            loop.advance(.milliseconds(milliseconds))
            try pump(service)
            service.advance(milliseconds: milliseconds)
            try pump(service)
            loop.settle()
        }
    }

    /// Moves what there is to move.
    package func pump(_ service: ServiceInProcess) throws {
        let cancelled = confined.cancelled
        confined.cancelled = []
        for passage in confined.passages where cancelled.contains(passage.number) { passage.connection?.close() }
        confined.passages.removeAll { cancelled.contains($0.number) }
        guard isOnline else { return cutAll() }
        var over: [Int] = []
        for passage in confined.passages {
            if passage.delay > 0 {
                passage.delay -= 1
                continue
            }
            if passage.connection == nil {
                if hits(faults.lostRequests) {
                    passage.deliver(.end(isEarly: true))
                    over.append(passage.number)
                    continue
                }
                if !passage.request.isStream, hits(faults.duplicates) {
                    let first = try open(passage.request, service)
                    service.settle()
                    first.receive()
                    first.close()
                }
                passage.connection = try open(passage.request, service)
            }
        }
        if !confined.passages.isEmpty { service.settle() }
        for passage in confined.passages
        where passage.connection != nil && passage.delay == 0 && !over.contains(passage.number) {
            if try move(passage) { over.append(passage.number) }
        }
        confined.passages.removeAll { over.contains($0.number) }
    }

    private func open(_ request: WireRequest, _ service: ServiceInProcess) throws -> ConnectionInProcess {
        let connection = try service.connect()
        var head = "\(request.method) /\(request.path) HTTP/1.0\r\nHost: localhost\r\n"
        for (name, value) in request.fields { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(request.body.count)\r\n\r\n"
        connection.send(bytes: Array(head.utf8) + request.body)
        return connection
    }

    /// Passes bytes on. Returns true once the request is over.
    private func move(_ passage: Passage) throws -> Bool {
        guard let connection = passage.connection else { return true }
        connection.receive()
        passage.answer += connection.takeBytes()
        if !passage.request.isStream {
            guard connection.isEnded else { return false }
            if hits(faults.lostAnswers) || !takeHead(passage) {
                passage.deliver(.end(isEarly: true))
                return true
            }
            passage.deliver(.bytes(passage.answer))
            passage.deliver(.end(isEarly: false))
            return true
        }
        guard passage.hasHead || takeHead(passage) else {
            guard connection.isEnded else { return false }
            passage.deliver(.end(isEarly: true))
            return true
        }
        if hits(faults.cuts), !passage.answer.isEmpty {
            passage.deliver(.bytes(Array(passage.answer.prefix(confined.entropy.below(passage.answer.count)))))
            connection.close()
            passage.deliver(.end(isEarly: true))
            return true
        }
        // Pieces of any size.
        while !passage.answer.isEmpty {
            let count = 1 + confined.entropy.below(passage.answer.count)
            passage.deliver(.bytes(Array(passage.answer.prefix(count))))
            passage.answer.removeFirst(count)
        }
        guard connection.isEnded else { return false }
        passage.deliver(.end(isEarly: false))
        return true
    }

    private func takeHead(_ passage: Passage) -> Bool {
        guard let range = passage.answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let lines = String(decoding: passage.answer[..<range.lowerBound], as: UTF8.self).split(separator: "\r\n")
        passage.answer.removeSubrange(..<range.upperBound)
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
        }
        passage.hasHead = true
        passage.deliver(.head(status: lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0, fields: fields))
        return true
    }
}
