import Ground
import JSON

/// The identifiers that a client knows before its action is performed: they follow from the time that it sends, and from
/// its place in the queue of the client.
struct KnownIDs {
    private let space: String
    private let subject: String
    private let client: String
    private let number: Int
    private let time: Timestamp

    /// The identifiers of a call; nil if it is not in a queue, or its client sends no time.
    init?(of call: Call, in space: SpaceName) {
        guard let position = call.position, let time = position.time else { return nil }
        (self.space, subject) = ("\(space)", call.by)
        (client, number, self.time) = (position.client, position.number, time)
    }

    /// Returns the identifier with an index among those of the request, made by an action: `feature/action`.
    func text(by action: String, index: Int) -> String {
        let parts: JSON = [
            .string(space), .string(subject), .string(client), .number(Decimal(number)), .string(action),
            .number(Decimal(index)),
        ]
        let digest = SHA256.digest("\(parts)".utf8)
        let mark = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return SortableID.text(at: time, index: index, mark: mark)
    }
}
