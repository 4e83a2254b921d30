/// The progress of one consumer of a lane: it decides whether the next message follows.
struct DeliveryProgress: Hashable, Sendable {
    /// The verdict on a message.
    enum Succession: Hashable, Sendable {
        /// The message is the next entry.
        case next
        /// The entry was delivered before.
        case repeated
        /// Entries before this one were trimmed.
        case trimmed
        /// Messages between were lost on the way; a new consumer must begin after the last entry.
        case gap
    }

    /// The number of the last entry.
    private(set) var last: Int
    /// The number of messages that the consumer has sent.
    private(set) var order = 0

    /// The progress before the first message, after the entry `last`.
    init(after last: Int) {
        self.last = last
    }

    /// Takes the position of the next message.
    mutating func take(_ position: DeliveryPosition) -> Succession {
        guard position.order == order + 1 else { return position.order <= order ? .repeated : .gap }
        order = position.order
        guard position.number > last else { return .repeated }
        guard position.number == last + 1 else { return position.order == 1 ? .trimmed : .gap }
        last = position.number
        return .next
    }

    /// Returns true if all messages that the consumer has sent by a heartbeat have arrived.
    func isWhole(at heartbeatOrder: Int) -> Bool { heartbeatOrder <= order }
}
