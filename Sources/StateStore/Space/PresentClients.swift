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

    /// The last message of a process, and the answer to it.
    private struct Conversation {
        let number: Int
        /// The answer; nil while the message is being performed.
        var outcomes: [JoinOutcome]?
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
    /// The processes that were taken for dead.
    private(set) var lost: Set<String> = []

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

    /// The processes that have sent messages.
    var processes: [String] { Array(conversations.keys) }

    /// Returns true if a process has sent messages and was not taken for dead since.
    func hears(_ process: String) -> Bool { conversations[process] != nil }

    /// The rows of a process.
    func rows(of process: String) -> [PresenceRow] {
        stays.filter { $0.value.processes.contains(process) }.map(\.key)
    }

    /// Returns the way to treat a message. If it is the next one, it is being performed from here on.
    mutating func receive(_ message: PresenceMessage) -> MessageOrder {
        if let known = conversations[message.process] {
            if message.number < known.number { return .late }
            if message.number == known.number { return known.outcomes.map { .performed($0) } ?? .late }
            if !message.isWhole, message.previous != known.number { return .unknown }
        } else if !message.isWhole {
            return .unknown
        }
        lost.remove(message.process)
        conversations[message.process] = Conversation(number: message.number)
        return .next
    }

    /// Notes the answer to a message.
    mutating func conclude(_ message: PresenceMessage, _ outcomes: [JoinOutcome]) {
        if conversations[message.process]?.number == message.number {
            conversations[message.process]?.outcomes = outcomes
        }
    }

    /// Forgets a process that is taken for dead. Its rows are removed before.
    mutating func lose(_ process: String) {
        conversations[process] = nil
        lost.insert(process)
    }

    /// Forgets that a process was taken for dead. Returns false if it was not.
    mutating func find(_ process: String) -> Bool { lost.remove(process) != nil }

    /// Forgets all clients.
    mutating func removeAll() {
        for stay in stays.values { stay.cancelAlarm() }
        self = PresentClients()
    }
}
