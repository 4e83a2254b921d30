/// The rows in a space of the clients whose streams this process holds, and the messages about them to the owner of the
/// space.
struct HeldPresences {
    /// A client that waits for its row.
    final class AwaitedRow {
        let request: PresenceRequest
        private var done: ((Refusal?) -> Void)?

        init(_ request: PresenceRequest, _ done: @escaping (Refusal?) -> Void) {
            (self.request, self.done) = (request, done)
        }

        var row: PresenceRow { PresenceRow(table: request.table, key: request.key) }
        /// True if the client has had its answer.
        var isOver: Bool { done == nil }

        /// Answers the client. The second call does nothing.
        func end(_ refusal: Refusal?) {
            let done = done
            self.done = nil
            done?(refusal)
        }
    }

    /// The maximum number of rows that come in one message.
    static let messageLimit = 100

    private struct Held {
        var streams: Int
        var request: PresenceRequest
    }

    private var rows: [PresenceRow: Held] = [:]
    private var joining: [AwaitedRow] = []
    private var leaving: Set<PresenceRow> = []
    /// The rows that the owner may not know.
    private var unannounced: Set<PresenceRow> = []
    /// True if the owner knows the earlier messages.
    private var isKnown = false
    private var previous = 0
    private var underWay: (message: PresenceMessage, joining: [AwaitedRow])?
    /// True if an owner may have performed a message without an answer. Until a later message has one, it has to be told
    /// which rows there are, also if there are none.
    private var isOwed = false
    /// The number of the attempt under way; 0 for none. Answers to others are ignored.
    private(set) var token = 0
    /// The attempts without an answer in succession.
    private(set) var failures = 0

    /// True if a message is under way.
    var isBusy: Bool { underWay != nil }

    /// True if there is nothing to hold and nothing to tell.
    var isEmpty: Bool { rows.isEmpty && joining.isEmpty && leaving.isEmpty && !isOwed }

    mutating func join(_ one: AwaitedRow) {
        joining.append(one)
    }

    /// Notes that a stream has ended. Returns true if the owner must be told.
    mutating func leave(_ row: PresenceRow) -> Bool {
        guard var held = rows[row] else { return false }
        held.streams -= 1
        rows[row] = held.streams == 0 ? nil : held
        guard held.streams == 0 else { return false }
        leaving.insert(row)
        unannounced.remove(row)
        return true
    }

    /// Returns the next message, or the one under way again; nil if there is nothing to tell. `number` makes a number
    /// above all that it has made for the process, for messages and attempts.
    mutating func message(of process: String, number: () -> Int) -> PresenceMessage? {
        if let underWay {
            token = number()
            return underWay.message
        }
        joining.removeAll(where: \.isOver)
        let isWhole = !isKnown
        guard isOwed || !joining.isEmpty || !leaving.isEmpty || !unannounced.isEmpty else { return nil }
        let announced = unannounced.prefix(Self.messageLimit)
        unannounced.subtract(announced)
        let requests = announced.compactMap { rows[$0]?.request }
        let taken = Array(joining.prefix(Self.messageLimit))
        joining.removeFirst(taken.count)
        // A client that comes back leaves first: if its new row is refused, it has none.
        let leaves = isWhole ? [] : leaving
        leaving = []
        let message = PresenceMessage(
            of: process, number(), after: previous, isWhole: isWhole, joins: requests + taken.map(\.request),
            leaves: Array(leaves))
        underWay = (message, taken)
        isOwed = true
        token = number()
        return message
    }

    /// Notes that the message under way has no answer.
    mutating func fail() {
        failures += 1
    }

    /// Takes the answer to the message under way. Returns the clients to answer, with their refusals.
    mutating func take(_ answer: PresenceAnswer) -> [(AwaitedRow, Refusal?)] {
        failures = 0
        guard let (message, joined) = underWay else { return [] }
        guard case .done(let outcomes) = answer else {
            announce()
            return []
        }
        underWay = nil
        isOwed = false
        previous = message.number
        isKnown = true
        let first = message.joins.count - joined.count
        for (request, outcome) in zip(message.joins, outcomes).prefix(first) {
            let row = PresenceRow(table: request.table, key: request.key)
            if case .present(let added) = outcome { rows[row]?.request.added = added }
        }
        return joined.enumerated().map { index, one in
            let outcome = first + index < outcomes.count ? outcomes[first + index] : .present(.unknown)
            switch outcome {
            case .present(let added): note(one, added)
            // The owner has left the row of an earlier stay alone.
            case .refused: if message.isWhole, rows[one.row] == nil { leaving.insert(one.row) }
            }
            return (one, outcome.refusal)
        }
    }

    private mutating func note(_ one: AwaitedRow, _ added: FirstAdding) {
        // The client has given up: its row must go.
        guard !one.isOver else {
            if rows[one.row] == nil { leaving.insert(one.row) }
            return
        }
        leaving.remove(one.row)
        var request = one.request
        request.isRepeated = true
        request.added = added
        rows[one.row] = Held(streams: (rows[one.row]?.streams ?? 0) + 1, request: request)
    }

    /// Tells the owner of all rows again, because it is another one or has forgotten them.
    mutating func announce() {
        token = 0
        if let underWay { joining = underWay.joining + joining }
        underWay = nil
        isKnown = false
        unannounced = Set(rows.keys)
    }
}
