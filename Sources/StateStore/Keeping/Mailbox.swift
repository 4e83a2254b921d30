import Glibc

/// Messages from any threads to one, which waits for them.
final class Mailbox<Message: Sendable>: @unchecked Sendable {
    // Sendable because everything in it is touched only while the lock is held.
    private var messages: [Message] = []
    private var isClosed = false
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let arrival: UnsafeMutablePointer<pthread_cond_t>

    init() {
        lock = .allocate(capacity: 1)
        arrival = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        pthread_cond_init(arrival, nil)
    }

    deinit {
        pthread_cond_destroy(arrival)
        pthread_mutex_destroy(lock)
        lock.deallocate()
        arrival.deallocate()
    }

    /// Puts a message in; whether it will be read.
    @discardableResult
    func post(_ message: Message) -> Bool {
        post(contentsOf: CollectionOfOne(message))
    }

    /// Puts messages in, in their order; whether they will be read.
    func post(contentsOf added: some Collection<Message>) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard !isClosed else { return false }
        let wasEmpty = messages.isEmpty
        messages.append(contentsOf: added)
        if wasEmpty, !messages.isEmpty { pthread_cond_signal(arrival) }
        return true
    }

    /// Waits for messages and takes up to `limit` of them, in their order; nil when the box is closed and empty.
    func take(upTo limit: Int) -> [Message]? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while messages.isEmpty {
            if isClosed { return nil }
            pthread_cond_wait(arrival, lock)
        }
        guard messages.count > limit else {
            defer { messages = [] }
            return messages
        }
        defer { messages.removeFirst(limit) }
        return Array(messages.prefix(limit))
    }

    /// Lets nothing more in. What is in it is still read.
    func close() {
        pthread_mutex_lock(lock)
        isClosed = true
        pthread_cond_broadcast(arrival)
        pthread_mutex_unlock(lock)
    }
}
