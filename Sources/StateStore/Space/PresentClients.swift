import Reactive

/// The clients that are present in the tables of a space.
struct PresentClients {
    /// The open streams of one row, or the alarm of its end.
    private final class Stay {
        /// The streams of this process, on one machine.
        var streams = 0
        /// The processes with streams, in a cluster.
        var processes: Set<String> = []
        var alarm: Alarm?

        var isOver: Bool { streams == 0 && processes.isEmpty }

        func cancelAlarm() {
            alarm?.cancel()
            alarm = nil
        }
    }

    /// The last message of a process, and the answer to it. It stays when the rows of the process are forgotten, so that no
    /// earlier message is performed after it.
    private struct Conversation {
        let number: Int
        /// The answer; nil while the message is being performed.
        var outcomes: [JoinOutcome]?
        var rows = RowKnowledge.known

        enum RowKnowledge {
            /// The rows are those that the messages have told.
            case known
            /// The process was taken for dead.
            case lost
            /// The rows are not known, and the process announces them.
            case awaited
        }
    }

    /// The way to treat a message of a process.
    enum MessageOrder {
        /// It is the next one.
        case next
        /// It was performed before.
        case performed([JoinOutcome])
        /// It is older than the last one, or it is being performed.
        case late
        /// Earlier messages are missing.
        case unknown
    }

    private var stays: [PresenceRow: Stay] = [:]
    private var conversations: [String: Conversation] = [:]

    /// Adds a stream of this process, or a process with streams, to a row.
    mutating func join(_ row: PresenceRow, of process: String? = nil) {
        let stay = stay(row)
        if let process { stay.processes.insert(process) } else { stay.streams += 1 }
        stay.cancelAlarm()
    }

    private mutating func stay(_ row: PresenceRow) -> Stay {
        if let stay = stays[row] { return stay }
        let stay = Stay()
        stays[row] = stay
        return stay
    }

    /// Removes a stream of this process, or a process, from a row. If it was the last, `alarm` makes the alarm of the row's
    /// end.
    mutating func leave(_ row: PresenceRow, of process: String? = nil, _ alarm: () -> Alarm) {
        guard let stay = stays[row] else { return }
        if let process {
            guard stay.processes.remove(process) != nil else { return }
        } else {
            guard stay.streams > 0 else { return }
            stay.streams -= 1
        }
        if stay.isOver { stay.alarm = alarm() }
    }

    /// Notes a row whose streams no process has told of yet.
    mutating func expect(_ row: PresenceRow, _ alarm: () -> Alarm) {
        let stay = stay(row)
        stay.cancelAlarm()
        stay.alarm = alarm()
    }

    /// Gives a row without streams another alarm of its end.
    mutating func putOff(_ row: PresenceRow, _ alarm: () -> Alarm) {
        guard let stay = stays[row], stay.isOver else { return }
        stay.alarm = alarm()
    }

    /// Forgets a row at its end. Returns false if a client has come back.
    mutating func end(_ row: PresenceRow) -> Bool {
        guard let stay = stays[row], stay.isOver else { return false }
        stays[row] = nil
        return true
    }

    // MARK: Processes

    /// The processes that have sent messages and were not taken for dead since.
    var processes: [String] { conversations.filter { $0.value.rows == .known }.map(\.key) }

    /// The processes that were taken for dead.
    var lost: [String] { conversations.filter { $0.value.rows == .lost }.map(\.key) }

    /// Returns true if a process has sent messages and was not taken for dead since.
    func hears(_ process: String) -> Bool { conversations[process]?.rows == .known }

    /// The rows of a process.
    func rows(of process: String) -> [PresenceRow] {
        stays.filter { $0.value.processes.contains(process) }.map(\.key)
    }

    /// Returns the way to treat a message. If it is the next one, it is being performed from here on.
    mutating func receive(_ message: PresenceMessage) -> MessageOrder {
        if let known = conversations[message.process] {
            if message.number < known.number { return .late }
            if known.rows != .known {
                if !message.isWhole { return .unknown }
            } else if message.number == known.number {
                return known.outcomes.map { .performed($0) } ?? .late
            } else if !message.isWhole, message.previous != known.number {
                return .unknown
            }
        } else if !message.isWhole {
            return .unknown
        }
        conversations[message.process] = Conversation(number: message.number)
        return .next
    }

    /// Notes the answer to a message.
    mutating func conclude(_ message: PresenceMessage, _ outcomes: [JoinOutcome]) {
        if conversations[message.process]?.number == message.number {
            conversations[message.process]?.outcomes = outcomes
        }
    }

    /// Takes a process for dead. Its rows are removed before.
    mutating func lose(_ process: String) {
        conversations[process]?.rows = .lost
    }

    /// Notes that a process that was taken for dead is asked to announce its rows.
    mutating func find(_ process: String) {
        conversations[process]?.rows = .awaited
    }

    /// Forgets all clients. Their processes announce them.
    mutating func removeAll() {
        for stay in stays.values { stay.cancelAlarm() }
        stays = [:]
        for process in conversations.keys { conversations[process]?.rows = .awaited }
    }
}
