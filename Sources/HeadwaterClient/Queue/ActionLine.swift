/// The actions of one subject, in their order: those that wait, those that are under way, and those that were refused.
///
/// Invariants: the numbers of a space grow by one in the order of the actions; an action with a number comes before those
/// without one; an action under way has a number; the actions under way in one space are of one queue.
///
/// An action that the device could not keep is of a queue that ends with the process: its number must not be used again
/// by a process that knows nothing of it, and the action must not be performed again by one that found it on the disk.
package struct ActionLine: Sendable {
    /// The maximum number of actions under way in one space.
    package static let windowLimit = 4

    /// The actions that are not over, the oldest first.
    package private(set) var actions: [QueuedAction] = []
    /// The greatest number that each space has used, in the queue on the device and in that of the process.
    package private(set) var numbers: [String: Int] = [:]
    private var processNumbers: [String: Int] = [:]
    private let processClient: String
    /// The actions under way.
    package private(set) var flying: Set<String> = []
    /// The name of the queue: 128 random bits.
    package let client: String

    /// The queue that records describe. `processClient` names the queue of actions that the device cannot keep.
    package init(client: String, processClient: String, _ records: [QueueRecord] = []) {
        self.client = client
        self.processClient = processClient
        for record in records { apply(record) }
    }

    /// The records from which the queue can be made anew.
    package var records: [QueueRecord] {
        var records = numbers.sorted { $0.key < $1.key }.map { QueueRecord.counted(space: $0.key, $0.value) }
        for action in actions {
            records.append(.added(action))
            if let number = action.number {
                records.append(.numbered(id: action.id, client: action.client, number: number))
            }
            if case .refused(let problem) = action.stage { records.append(.refused(id: action.id, problem)) }
        }
        return records
    }

    /// The action with an id; nil if it is over.
    package subscript(id: String) -> QueuedAction? { actions.first { $0.id == id } }

    /// Takes a step. The caller makes it durable before it sends.
    package mutating func apply(_ record: QueueRecord) {
        switch record {
        case .added(let action):
            if self[action.id] == nil { actions.append(action) }
        case .numbered(let id, let queue, let number):
            guard let index = index(of: id) else { return }
            (actions[index].client, actions[index].number, actions[index].stage) = (queue, number, .sent)
            if queue == processClient { processNumbers[actions[index].space] = number }
            if queue == client { numbers[actions[index].space] = max(numbers[actions[index].space] ?? 0, number) }
        case .refused(let id, let problem):
            guard let index = index(of: id) else { return }
            actions[index].stage = .refused(problem)
        case .over(let id): actions.removeAll { $0.id == id }
        case .timed(let id, let time): if let index = index(of: id) { actions[index].time = time }
        case .counted(let space, let number): numbers[space] = max(numbers[space] ?? 0, number)
        }
    }

    /// Returns the actions to send now, in order: those of each space up to the window. With `stopsAtRefusal` a refused
    /// action holds back those of its space.
    package func ready(stopsAtRefusal: Bool) -> [QueuedAction] {
        var counts: [String: Int] = [:]
        var queues: [String: String] = [:]
        var stopped: Set<String> = []
        var ready: [QueuedAction] = []
        for action in actions {
            if case .refused = action.stage {
                if stopsAtRefusal { stopped.insert(action.space) }
                continue
            }
            // The server keeps the order within one queue only.
            let queue = action.number == nil ? self.queue(of: action) : action.client
            guard queues[action.space, default: queue] == queue else {
                stopped.insert(action.space)
                counts[action.space] = Self.windowLimit
                continue
            }
            queues[action.space] = queue
            counts[action.space, default: 0] += 1
            guard counts[action.space, default: 0] <= Self.windowLimit, !flying.contains(action.id) else { continue }
            // An action that was sent has its place: it goes on in any case.
            if action.number == nil, stopped.contains(action.space) { continue }
            ready.append(action)
        }
        return ready
    }

    private func queue(of action: QueuedAction) -> String { action.isOfProcess ? processClient : client }

    /// Returns the record that gives an action the next number of its space.
    package func numbering(_ action: QueuedAction) -> QueueRecord {
        let last = action.isOfProcess ? processNumbers[action.space] : numbers[action.space]
        return .numbered(id: action.id, client: queue(of: action), number: (last ?? 0) + 1)
    }

    /// Returns the actions of a space that were not refused, in order, with the place in a queue that each has or will have
    /// if none before it is discarded.
    package func foreseen(in space: String) -> [ForeseenAction] {
        var last = [client: numbers[space] ?? 0, processClient: processNumbers[space] ?? 0]
        return actions.compactMap { action in
            if case .refused = action.stage { return nil }
            guard action.space == space else { return nil }
            if let number = action.number {
                return ForeseenAction(action: action, client: action.client, number: number)
            }
            let queue = queue(of: action)
            last[queue, default: 0] += 1
            return ForeseenAction(action: action, client: queue, number: last[queue] ?? 1)
        }
    }

    /// The place that the next action of a space has, if none that waits is discarded.
    package func nextPlace(in space: String) -> (client: String, number: Int) {
        let waiting = actions.count { $0.space == space && $0.number == nil && !$0.isOfProcess && $0.stage == .waiting }
        return (client, (numbers[space] ?? 0) + waiting + 1)
    }

    /// Takes back steps that the device could not keep, before anything was sent. Returns those that have happened all the
    /// same, to be kept later: an action whose end was not kept is sent again after a restart, and answered as before.
    package mutating func takeBack(_ records: [QueueRecord]) -> [QueueRecord] {
        var late: [QueueRecord] = []
        for record in records.reversed() {
            switch record {
            case .added(let action): if let index = index(of: action.id) { actions[index].isOfProcess = true }
            case .numbered(let id, _, let number):
                guard let index = index(of: id), actions[index].number == number else { continue }
                (actions[index].number, actions[index].stage) = (nil, .waiting)
                numbers[actions[index].space] = number - 1
            default: late.insert(record, at: 0)
            }
        }
        return late
    }

    /// Notes that an action is under way, or is not any more.
    package mutating func setFlying(_ id: String, _ isFlying: Bool) {
        if isFlying { flying.insert(id) } else { flying.remove(id) }
    }

    /// The number up to which all answers of an action's queue and space are here.
    package func answeredNumber(before action: QueuedAction) -> Int {
        let open = actions.filter { other in
            if case .sent = other.stage { other.space == action.space && other.client == action.client } else { false }
        }
        return max(0, (open.compactMap(\.number).min() ?? action.number ?? 1) - 1)
    }

    /// The number of actions that wait or are under way, and of those that were refused.
    package var counts: (waiting: Int, refused: Int) {
        let refused = actions.count { if case .refused = $0.stage { true } else { false } }
        return (actions.count - refused, refused)
    }

    private func index(of id: String) -> Int? { actions.firstIndex { $0.id == id } }
}

/// An action with its place in a queue.
package struct ForeseenAction: Sendable {
    package let action: QueuedAction
    package let client: String
    package let number: Int
}
