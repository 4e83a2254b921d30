import Ground
import JSON

/// The identifiers that a client knows before its action is performed: they follow from the time that it sends, and from
/// its place in the queue of the client.
package struct KnownIDs {
    let space: SpaceName
    let subject: String
    let client: String
    /// The number of the action in the queue of the client.
    let number: Int
    let time: Timestamp

    /// Returns the identifier with an index among those of the request, made by an action: `feature/action`.
    func text(by action: String, index: Int) -> String {
        let parts: JSON = [
            .string("\(space)"), .string(subject), .string(client), .number(Decimal(number)), .string(action),
            .number(Decimal(index)),
        ]
        let digest = SHA256.digest("\(parts)".utf8)
        let mark = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return SortableID.text(at: time, index: index, mark: mark)
    }
}
