/// The position of a delivered message, which its reply subject spells.
struct DeliveryPosition: Hashable, Sendable {
    /// The number in the stream.
    let number: Int
    /// The number among the messages of the consumer, from 1 on.
    let order: Int

    init(number: Int, order: Int) {
        self.number = number
        self.order = order
    }

    /// Reads `$JS.ACK.STREAM.CONSUMER.DELIVERED.NUMBER.ORDER.TIME.PENDING`, or the longer form that has a domain and an
    /// account after `ACK`. Returns nil for other subjects.
    init?(_ subject: String) {
        let parts = subject.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 9 || parts.count >= 11, parts[0] == "$JS", parts[1] == "ACK" else { return nil }
        let offset = parts.count == 9 ? 0 : 2
        guard let number = Int(parts[5 + offset]), let order = Int(parts[6 + offset]), number > 0, order > 0 else {
            return nil
        }
        self.init(number: number, order: order)
    }
}
