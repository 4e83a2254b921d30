import CNATS
import Platform

/// One connection to one server, until it ends. Nothing is sent a second time, and nothing waits for a later connection.
final class NATSSession: Sendable {
    /// A header field of a message.
    typealias Field = (name: String, value: String)

    /// The server.
    let server: NATSServer
    /// The subject below which the answers to this connection arrive.
    let inbox: String
    /// The subject below which consumers deliver to this connection. A consumer delivers nothing to a subscription with
    /// a wildcard, so each has a subscription of its own.
    let deliveries: String
    /// The largest payload in bytes.
    let payloadLimit: Int
    /// The factor of the time limits of requests.
    let slowness: Int
    private let id: UInt
    private let handle: Lock<NATSHandle?>
    private let jobs: JobThread
    private let replies = Lock(PendingReplies())
    private let answers: Lock<NATSSubscription?> = Lock(nil)

    /// Connects; `ended` is called once when the connection ends by itself.
    init(
        _ settings: NATSSettings, _ server: NATSServer, _ jobs: JobThread, ended: @escaping @Sendable () -> Void
    ) throws(NATSFault) {
        try NATSCallbacks.load()
        self.jobs = jobs
        self.server = server
        slowness = settings.slowness
        let word = Self.word()
        inbox = "hw.\(settings.cluster).in.\(word)"
        deliveries = "hw.\(settings.cluster).to.\(word)"
        id = NATSCallbacks.add(end: ended)
        var opened: OpaquePointer?
        var reason = [CChar](repeating: 0, count: 256)
        let status = Self.withSettings(settings, server, id) { hw_nats_connect($0, &opened, &reason, reason.count) }
        handle = Lock(opened.map { NATSHandle(pointer: $0) })
        payloadLimit = opened.map { Int(hw_nats_payload_limit($0)) } ?? 0
        guard status == 0 else {
            NATSCallbacks.remove(id)
            let words = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw Self.fault(of: status, server, String(decoding: words, as: UTF8.self))
        }
        let answers = try subscribe("\(inbox).*") { [weak self] message in self?.take(message) }
        self.answers.with { $0 = answers }
    }

    deinit {
        close(.lost)
    }

    // MARK: Messages

    /// Publishes a message with at most two header fields.
    func publish(_ subject: String, reply: String? = nil, _ bytes: [UInt8], _ fields: [Field] = []) throws(NATSFault) {
        guard bytes.count <= payloadLimit else { throw .tooLarge(bytes: bytes.count, limit: payloadLimit) }
        let status = handle.with { handle in
            guard let handle else { return Int32(HW_NATS_CLOSED) }
            let first = fields.first
            let second = fields.dropFirst().first
            return bytes.withUnsafeBufferPointer {
                hw_nats_publish(
                    handle.pointer, subject, reply, $0.baseAddress, $0.count, first?.name, first?.value, second?.name,
                    second?.value)
            }
        }
        guard status == 0 else { throw Int(status) == HW_NATS_CLOSED ? .notConnected : .lost }
    }

    /// Receives the messages of a subject; with a group, each message goes to one of the group's subscriptions.
    /// `received` must not block: one thread receives all messages.
    func subscribe(
        _ subject: String, group: String? = nil, _ received: @escaping NATSCallbacks.Receiver
    ) throws(NATSFault) -> NATSSubscription {
        let id = NATSCallbacks.add(received)
        var subscription: OpaquePointer?
        let status = handle.with { handle in
            guard let handle else { return Int32(HW_NATS_CLOSED) }
            return hw_nats_subscribe(handle.pointer, subject, group, id, &subscription)
        }
        guard status == 0, let subscription else {
            NATSCallbacks.remove(id)
            throw .notConnected
        }
        return NATSSubscription(id, NATSHandle(pointer: subscription))
    }

    /// Sends a request and calls `done` once with the answer or the fault, on another thread.
    func request(
        _ subject: String, _ bytes: [UInt8], _ fields: [Field] = [], timeout: Duration,
        _ done: @escaping PendingReplies.Done
    ) {
        let deadline = MonotonicTime.now + timeout.nanoseconds
        guard let number = replies.with({ $0.add(deadline: deadline, done) }) else {
            return jobs.run { done(.failure(.notConnected)) }
        }
        do throws(NATSFault) {
            try publish(subject, reply: "\(inbox).\(number)", bytes, fields)
        } catch {
            guard let done = replies.with({ $0.take(number) }) else { return }
            jobs.run { done(.failure(error)) }
        }
    }

    private func take(_ message: NATSMessage) {
        guard let number = Int(message.subject.dropFirst(inbox.count + 1)),
            let done = replies.with({ $0.take(number) })
        else { return }
        done(message.isNobody ? .failure(.nobody) : .success(message.bytes))
    }

    /// Gives up the requests whose time is over.
    func expireRequests(_ now: Int64) {
        for done in replies.with({ $0.takeExpired(now) }) { done(.failure(.timedOut)) }
    }

    /// Ends the connection; all requests that wait fail.
    func close(_ fault: NATSFault) {
        NATSCallbacks.remove(id)
        let taken = handle.with { handle in
            defer { handle = nil }
            return handle
        }
        answers.with { answers in
            defer { answers = nil }
            return answers
        }?.end()
        if let taken { hw_nats_disconnect(taken.pointer) }
        for done in replies.with({ $0.close() }) { done(.failure(fault)) }
    }

    // MARK: Connecting

    private static func withSettings(
        _ settings: NATSSettings, _ server: NATSServer, _ id: UInt, _ body: (UnsafePointer<HWNatsSettings>) -> Int32
    ) -> Int32 {
        func withText(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Int32) -> Int32 {
            text.map { $0.withCString { body($0) } } ?? body(nil)
        }
        return "nats://\(server.description.drop { $0 != "/" }.dropFirst(2))".withCString { url in
            settings.name.withCString { name in
                withText(server.usesTLS ? server.host : nil) { host in
                    withText(settings.user?.name) { user in
                        withText(settings.user?.password) { password in
                            withText(settings.credentialsFile) { file in
                                var all = HWNatsSettings(
                                    url: url, name: name, tls_host: host, user: user, password: password,
                                    credentials_file: file, timeout_ms: 1_000 * Int64(settings.slowness),
                                    ping_ms: 600 * Int64(settings.slowness), id: id)
                                return body(&all)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func fault(of status: Int32, _ server: NATSServer, _ words: String) -> NATSFault {
        switch Int(status) {
        case HW_NATS_NOT_AUTHORIZED, HW_NATS_NOT_PERMITTED:
            .unusable("\(server) refuses the user: \(words)")
        case HW_NATS_NO_TLS: .unusable("\(server) has no TLS: \(words)")
        case HW_NATS_NEEDS_TLS: .unusable("\(server) needs TLS: name it tls://")
        case HW_NATS_TLS_FAILED: .unusable("no TLS with \(server): \(words)")
        default: .malformed("\(server): \(words)")
        }
    }

    /// A random word for the inbox, 128 bits.
    private static func word() -> String {
        let letters = Array("0123456789abcdefghijklmnopqrstuv")
        return String((0..<26).map { _ in letters[Int.random(in: letters.indices)] })
    }
}

extension Duration {
    /// The whole nanoseconds.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

/// The requests of one connection that wait for an answer.
struct PendingReplies {
    typealias Done = @Sendable (Result<[UInt8], NATSFault>) -> Void

    private struct Pending {
        let deadline: Int64
        let done: Done
    }

    private var lastNumber = 0
    private var pending: [Int: Pending] = [:]
    private var isClosed = false

    /// The number of requests that wait.
    var count: Int { pending.count }

    /// Takes a request and returns the number for its reply subject; nil after the end of the connection.
    mutating func add(deadline: Int64, _ done: @escaping Done) -> Int? {
        guard !isClosed else { return nil }
        lastNumber += 1
        pending[lastNumber] = Pending(deadline: deadline, done: done)
        return lastNumber
    }

    /// Removes the request of a number; nil if it was answered or given up.
    mutating func take(_ number: Int) -> Done? { pending.removeValue(forKey: number)?.done }

    /// Removes the requests whose time is over.
    mutating func takeExpired(_ now: Int64) -> [Done] {
        guard pending.contains(where: { $0.value.deadline <= now }) else { return [] }
        let expired = pending.filter { $0.value.deadline <= now }
        for number in expired.keys { pending[number] = nil }
        return expired.sorted { $0.key < $1.key }.map(\.value.done)
    }

    /// Removes all requests and takes no more.
    mutating func close() -> [Done] {
        isClosed = true
        defer { pending = [:] }
        return pending.sorted { $0.key < $1.key }.map(\.value.done)
    }
}
