import HTTP
import StateStore

/// The fields `Headwater-Queue` and `Headwater-Time` of an action.
struct QueueFields {
    /// The position of the action in the queue of its client; nil for an action outside a queue.
    let position: QueuePosition?

    /// Reads the fields of a request. If they cannot be read, answers 400 and returns nil.
    init?(of request: borrowing Request, _ responder: Responder) {
        var time: Timestamp?
        if request.has(.clientTime) {
            guard let text = request.field(.clientTime), let read = Timestamp(text) else {
                responder.answer(Problem(.badRequest, "Headwater-Time is a time like 2026-01-31T12:00:00Z (RFC 3339)"))
                return nil
            }
            time = read
        }
        guard request.has(.queue) else {
            position = nil
            return
        }
        guard let text = request.field(.queue), let position = Self.position(text, time) else {
            responder.answer(
                Problem(
                    .badRequest,
                    "Headwater-Queue is CLIENT;N;A: 128 random bits in base64url, the number of the action from 1 on, and a smaller number up to which the client has all answers"
                ))
            return nil
        }
        self.position = position
    }

    private static func position(_ text: String, _ time: Timestamp?) -> QueuePosition? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map {
            String($0).trimmingSpaces
        }
        guard (2...3).contains(parts.count), let number = number(parts[1]) else { return nil }
        guard let answered = parts.count == 3 ? self.number(parts[2]) : 0 else { return nil }
        return QueuePosition(client: parts[0], number: number, answered: answered, time: time)
    }

    /// Returns a number of up to 15 digits.
    private static func number(_ text: String) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmingSpaces: String {
        var rest = self[...]
        while rest.first == " " { rest = rest.dropFirst() }
        while rest.last == " " { rest = rest.dropLast() }
        return String(rest)
    }
}
