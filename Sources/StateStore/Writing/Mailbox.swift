internal import Platform

/// Messages from any threads to one thread, which waits for them.
final class Mailbox<Message: Sendable>: Sendable {
    private struct Contents {
        var messages: [Message] = []
        var isClosed = false
    }

    private let contents = Lock(Contents())
    private let arrival = Condition()

    /// Adds a message. Returns false if the mailbox is closed.
    @discardableResult
    func post(_ message: Message) -> Bool {
        post(contentsOf: [message])
    }

    /// Adds messages in their order. Returns false if the mailbox is closed.
    func post(contentsOf added: [Message]) -> Bool {
        let (isOpen, isFirst) = contents.withLock { contents in
            guard !contents.isClosed else { return (false, false) }
            let wasEmpty = contents.messages.isEmpty
            contents.messages += added
            return (true, wasEmpty)
        }
        if isFirst { arrival.signal() }
        return isOpen
    }

    /// Waits for messages, and removes up to `limit` of them in their order. Returns nil when the mailbox is closed and
    /// empty. Only one thread may wait.
    func take(upTo limit: Int) -> [Message]? {
        while true {
            let (batch, isClosed) = contents.withLock { contents in
                var batch: [Message] = []
                if contents.messages.count <= limit {
                    swap(&batch, &contents.messages)
                } else {
                    batch += contents.messages.prefix(limit)
                    contents.messages.removeFirst(limit)
                }
                return (batch, contents.isClosed)
            }
            if !batch.isEmpty { return batch }
            if isClosed { return nil }
            _ = arrival.wait()
        }
    }

    /// Refuses messages from now on. Those that it contains are still delivered.
    func close() {
        contents.withLock { $0.isClosed = true }
        arrival.stop()
    }
}
