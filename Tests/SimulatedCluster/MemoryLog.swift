import Reactive
package import ReplicatedJournal

/// The connection of one simulated node to the log, with faults.
package final class MemoryLog: SharedLog, @unchecked Sendable {
    // Sendable because a simulation runs on one thread.

    /// The ways in which a connection can be cut.
    package enum Cut: Sendable, CaseIterable {
        case none, both, requests, answers
    }

    /// The probability of each fault, as one in so many calls; 0 for never.
    package struct Faults: Sendable {
        /// The request is lost.
        package var lostRequest = 0
        /// The request is executed, and the answer is lost.
        package var lostAnswer = 0
        /// The call fails, and the request is executed seconds later.
        package var landsLater = 0
        /// Changes of leases are not delivered.
        package var hidesLeases = false
        /// The maximum delay of a message in microseconds.
        package var delay = 2_000

        package init() {}
    }

    private final class Follower {
        let lane: Lane
        var position: Int
        var isMoving = false
        var isOpen = true
        /// True while its server delivers nothing more, and does not say so.
        var isStalled = false
        let receive: @Sendable (Result<[StoredEntry], LogFailure>) -> Void

        init(_ lane: Lane, _ position: Int, _ receive: @escaping @Sendable (Result<[StoredEntry], LogFailure>) -> Void)
        {
            (self.lane, self.position, self.receive) = (lane, position, receive)
        }
    }

    private final class Service {
        let subject: String
        var isOpen = true
        let receive: @Sendable ([UInt8], @escaping @Sendable ([UInt8]) -> Void) -> Void

        init(_ subject: String, _ receive: @escaping @Sendable ([UInt8], @escaping @Sendable ([UInt8]) -> Void) -> Void)
        {
            (self.subject, self.receive) = (subject, receive)
        }
    }

    package static let timeout = Duration.seconds(2)

    private let server: MemoryLogServer
    package var faults = Faults()
    /// True if no other server has room.
    package var cannotMoveLeaders = false
    package private(set) var cut = Cut.none
    private var isOpen = true
    private var followers: [Follower] = []
    private var services: [Service] = []
    private var leaseWatchers: [Int: @Sendable (StoredLease) -> Void] = [:]
    private var connectionWatchers: [Int: @Sendable (Bool) -> Void] = [:]
    private var next = 0

    package init(_ server: MemoryLogServer) {
        self.server = server
        server.clients.append(self)
    }

    private var world: SimulatedWorld { server.world }
    private var isReceiving: Bool { isOpen && (cut == .none || cut == .requests) }
    private var isSending: Bool { isOpen && (cut == .none || cut == .answers) }

    /// Cuts or mends the connection.
    package func set(_ cut: Cut) {
        self.cut = cut
        for watcher in connectionWatchers.values { watcher(cut == .none) }
        guard isReceiving else { return }
        for follower in followers { move(follower) }
        for stored in server.leases.values { deliver(stored) }
    }

    // MARK: Calls

    /// Returns true once in `count` times, never if that is 0.
    private func isFault(_ count: Int) -> Bool { count > 0 && world.isOne(in: count) }

    /// Executes `body` at the server and answers with its result, unless there is a fault.
    private func call<Value: Sendable>(
        writes: Bool, timeout: Duration = timeout, _ done: @escaping @Sendable (Result<Value, LogFailure>) -> Void,
        _ body: @escaping () -> Result<Value, LogFailure>?
    ) {
        var isAnswered = false
        func answer(_ result: Result<Value, LogFailure>) {
            guard !isAnswered else { return }
            isAnswered = true
            done(result)
        }
        world.after(timeout) { answer(.failure(LogFailure(.unreachable, "the log did not answer in time"))) }
        guard isSending, !isFault(faults.lostRequest) else { return }
        let isLate = writes && isFault(faults.landsLater)
        let isLost = isFault(faults.lostAnswer)
        let delay = isLate ? timeout + world.delay(upTo: 8_000_000) : world.delay(upTo: faults.delay)
        world.after(delay) { [self] in
            guard server.hasQuorum, let result = body() else { return }
            guard !isLost else { return }
            world.after(world.delay(upTo: faults.delay)) { if self.isReceiving { answer(result) } }
        }
    }

    package func append(
        _ entry: [UInt8], to lane: Lane, after last: Int,
        _ done: @escaping @Sendable (Result<Int, LogFailure>) -> Void
    ) {
        call(writes: true, done) { [server] in server.append(entry, to: lane, after: last) }
    }

    package func moveLeader(of lane: Lane) {
        if !cannotMoveLeaders { server.full.remove(lane) }
    }

    package func moveOn() {}

    package func entry(
        _ number: Int, of lane: Lane, _ done: @escaping @Sendable (Result<[UInt8]?, LogFailure>) -> Void
    ) {
        call(writes: false, done) { [server] in
            guard let storage = server.lanes[lane] else { return .failure(LogFailure(.unusable, "no such lane")) }
            if number <= storage.trimmed { return .failure(LogFailure(.gone, "the entry was trimmed")) }
            return .success(number > storage.last ? nil : storage.entries[number - storage.trimmed - 1])
        }
    }

    package func extent(of lane: Lane, _ done: @escaping @Sendable (Result<LaneExtent, LogFailure>) -> Void) {
        call(writes: false, done) { [server] in
            guard let storage = server.lanes[lane] else { return .failure(LogFailure(.unusable, "no such lane")) }
            return .success(LaneExtent(identity: storage.identity, first: storage.trimmed + 1, last: storage.last))
        }
    }

    package func trim(_ lane: Lane, upTo number: Int, _ done: @escaping @Sendable (LogFailure?) -> Void) {
        call(writes: true, { done($0.failure) }) {
            [server] () -> Result<Bool, LogFailure>? in
            server.trim(lane, upTo: number)
            return .success(true)
        }
    }

    // MARK: Following

    package func follow(
        _ lane: Lane, after number: Int, _ receive: @escaping @Sendable (Result<[StoredEntry], LogFailure>) -> Void
    ) -> LogSubscription {
        let follower = Follower(lane, number, receive)
        followers.append(follower)
        move(follower)
        let owned = UncheckedFollower(follower: follower)
        return LogSubscription { owned.follower.isOpen = false }
    }

    private struct UncheckedFollower: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let follower: Follower
    }

    /// Lets the present deliveries of a lane end without a word.
    package func stall(_ lane: Lane) {
        for follower in followers where follower.lane == lane { follower.isStalled = true }
    }

    func deliver(_ lane: Lane) {
        followers.removeAll { !$0.isOpen }
        for follower in followers where follower.lane == lane { move(follower) }
    }

    private func move(_ follower: Follower) {
        guard !follower.isMoving, !follower.isStalled, isReceiving else { return }
        follower.isMoving = true
        world.after(world.delay(upTo: faults.delay)) { [self] in
            follower.isMoving = false
            guard follower.isOpen, isReceiving, let storage = server.lanes[follower.lane] else { return }
            guard follower.position >= storage.trimmed else {
                follower.isOpen = false
                return follower.receive(.failure(LogFailure(.gone, "entries were trimmed")))
            }
            guard storage.last > follower.position else { return }
            let entries = (follower.position + 1...storage.last).map {
                StoredEntry(number: $0, bytes: storage.entries[$0 - storage.trimmed - 1])
            }
            follower.position = storage.last
            follower.receive(.success(entries))
        }
    }

    // MARK: Leases

    package func lease(of node: String, _ done: @escaping @Sendable (Result<StoredLease?, LogFailure>) -> Void) {
        call(writes: false, done) { [server] in .success(server.leases[node]) }
    }

    package func renew(
        _ lease: Lease, after revision: UInt64?, _ done: @escaping @Sendable (Result<UInt64, LogFailure>) -> Void
    ) {
        call(writes: true, done) { [server] in server.renew(lease, after: revision) }
    }

    package func watchLeases(_ receive: @escaping @Sendable (StoredLease) -> Void) -> LogSubscription {
        next += 1
        let number = next
        leaseWatchers[number] = receive
        for stored in server.leases.values { deliver(stored) }
        return LogSubscription { [weak self] in self?.leaseWatchers[number] = nil }
    }

    func deliver(_ stored: StoredLease) {
        guard isReceiving, !faults.hidesLeases else { return }
        world.after(world.delay(upTo: faults.delay)) { [self] in
            guard isReceiving, server.leases[stored.lease.node]?.revision == stored.revision else { return }
            for watcher in leaseWatchers.values { watcher(stored) }
        }
    }

    // MARK: Requests

    package func ask(
        _ subject: String, _ body: [UInt8], timeout: Duration,
        _ done: @escaping @Sendable (Result<[UInt8], LogFailure>) -> Void
    ) {
        var reply: (@Sendable (Result<[UInt8], LogFailure>) -> Void)? = done
        func answer(_ result: Result<[UInt8], LogFailure>) {
            reply?(result)
            reply = nil
        }
        let owned = UncheckedAnswer(answer)
        world.after(timeout) { answer(.failure(LogFailure(.unreachable, "nobody answered in time"))) }
        guard isSending, !isFault(faults.lostRequest) else { return }
        let isLost = isFault(faults.lostAnswer)
        world.after(world.delay(upTo: faults.delay)) { [self] in
            let serving = server.clients.filter { client in
                client.isReceiving && client.services.contains { $0.isOpen && $0.subject == subject }
            }
            guard !serving.isEmpty else {
                if isReceiving { answer(.failure(LogFailure(.unserved, "nobody serves \(subject)"))) }
                return
            }
            let server = serving[world.random(below: serving.count)]
            let service = server.services.first { $0.isOpen && $0.subject == subject }
            service?.receive(body) { bytes in
                guard server.isSending, !isLost else { return }
                self.world.after(self.world.delay(upTo: self.faults.delay)) {
                    if self.isReceiving { owned.answer(.success(bytes)) }
                }
            }
        }
    }

    private struct UncheckedAnswer: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let answer: (Result<[UInt8], LogFailure>) -> Void

        init(_ answer: @escaping (Result<[UInt8], LogFailure>) -> Void) {
            self.answer = answer
        }
    }

    package func serve(
        _ subject: String, _ receive: @escaping @Sendable ([UInt8], @escaping @Sendable ([UInt8]) -> Void) -> Void
    ) -> LogSubscription {
        let service = Service(subject, receive)
        services.removeAll { !$0.isOpen }
        services.append(service)
        let owned = UncheckedService(service: service)
        return LogSubscription { owned.service.isOpen = false }
    }

    private struct UncheckedService: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let service: Service
    }

    package func watchConnection(_ receive: @escaping @Sendable (Bool) -> Void) -> LogSubscription {
        next += 1
        let number = next
        connectionWatchers[number] = receive
        let isConnected = cut == .none
        world.post { receive(isConnected) }
        return LogSubscription { [weak self] in self?.connectionWatchers[number] = nil }
    }

    package func close() {
        isOpen = false
        followers = []
        services = []
        leaseWatchers = [:]
        connectionWatchers = [:]
        server.clients.removeAll { $0 === self }
    }
}

extension Result where Failure == LogFailure {
    fileprivate var failure: LogFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
