/// The position of an action in the queue of its client. A class, so that copying a call costs one reference.
package final class QueuePosition: Hashable, Sendable {
    /// The client: 128 random bits in base64url.
    package let client: String
    /// The number of the action, from 1 in each space.
    package let number: Int
    /// The number up to which the client has all answers.
    package let answered: Int
    /// The time at which the client has performed the action itself; nil if it names none.
    package let time: Timestamp?

    /// The number of characters of a client.
    package static let clientLength = 22
    /// The maximum time that the client's time may be behind the server's.
    static let timeBehind = Duration.seconds(24 * 60 * 60)
    /// The maximum time that the client's time may be ahead of the server's.
    static let timeAhead = Duration.seconds(5)

    /// A position. Returns nil if the client is not 128 bits in base64url, the number is not positive, or the client
    /// claims the answer to this or a later action.
    package init?(client: String, number: Int, answered: Int = 0, time: Timestamp? = nil) {
        guard Self.isClient(client), number > 0, answered >= 0, answered < number else { return nil }
        (self.client, self.number, self.answered, self.time) = (client, number, answered, time)
    }

    /// Returns true if a text is 128 bits in base64url.
    package static func isClient(_ text: String) -> Bool {
        text.utf8.count == clientLength && text.utf8.allSatisfy(Digest.isCharacter)
    }

    /// Returns true if the client's time is close enough to `now`.
    package func isTimely(at now: Timestamp) -> Bool {
        guard let time else { return true }
        return time >= now - Self.timeBehind && time <= now + Self.timeAhead
    }

    /// Returns true if the positions are equal.
    package static func == (one: QueuePosition, other: QueuePosition) -> Bool {
        one.client == other.client && one.number == other.number && one.answered == other.answered
            && one.time == other.time
    }

    /// Hashes the client and the number.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(client)
        hasher.combine(number)
    }
}

/// The client and the number of the action that made a commit.
package struct QueueMark: Hashable, Sendable {
    /// The client.
    package let client: String
    /// The number.
    package let number: Int
}
