/// The connection of a client, and its queue.
public struct ClientStatus: Sendable, Equatable {
    /// The states of the connection.
    public enum ConnectionPhase: Sendable, Equatable {
        /// The client connects, or watches nothing.
        case connecting
        /// Values come as they change.
        case live
        /// The server cannot be reached. The client tries again by itself.
        case offline
        /// The server wants another token, for the reason that it gave.
        case needsToken(String)
        /// The app is in the background: the client does not follow views.
        case background
    }

    /// The state of the connection.
    public var connection = ConnectionPhase.connecting
    /// The time since which it is so, in seconds since 1970.
    public var since = 0.0
    /// The number of actions that wait for their answer.
    public var waiting = 0
    /// The number of actions that the server refused, to be retried or discarded.
    public var refused = 0
    /// The reason why the queue is in memory only; nil if it is on disk.
    public var storageFault: String?
}

/// An action that waits, or was refused.
public struct PendingAction: Sendable, Identifiable {
    /// The name of the action in this client.
    public let id: String
    /// The space.
    public let space: String
    /// The feature and the action: `auction/bid`.
    public let name: String
    /// The input in JSON.
    public let input: [UInt8]
    /// The reason why the server refused it; nil while it waits.
    public let problem: ServerProblem?
    /// True before it is sent for the first time: it can be discarded.
    public let isUnsent: Bool

    init(_ action: QueuedAction) {
        (id, space, name, input) = (action.id, action.space, action.name, action.input)
        if case .refused(let problem) = action.stage { self.problem = problem } else { problem = nil }
        isUnsent = action.stage == .waiting
    }
}

extension PendingAction: CustomStringConvertible {
    /// The action, and the reason why it was refused: `auction/bid {"lot":"guitar"} in main, waits`.
    public var description: String {
        "\(name) \(String(decoding: input, as: UTF8.self)) in \(space), \(problem.map { "refused: \($0)" } ?? "waits")"
    }
}

/// The end, or a step, of an action.
package enum ActionEnding: Sendable {
    /// The commit is durable.
    case durable(ActionReply)
    /// The watched views show the action.
    case shown
    case refused(ServerProblem)
    /// The action was discarded, or the subject has changed: in that case it waits for its subject.
    case abandoned(ServerProblem)
}

/// The state that a device keeps of a subject.
package struct KeptSession: Sendable {
    package var line: ActionLine
    /// The reason why nothing is kept; nil if the device keeps it.
    package var fault: String?

    package init(line: ActionLine, fault: String? = nil) {
        self.line = line
        self.fault = fault
    }
}

/// One step of all that a client shows: what one event, or one call, changed.
package struct ShownNews: Sendable {
    package var values: [(address: ViewAddress, value: ShownValue)] = []
    package var replicas: [(address: ViewAddress, news: ReplicaNews)] = []
    /// The actions whose effect the values have.
    package var over: [String] = []
    package var isEmpty: Bool { values.isEmpty && replicas.isEmpty && over.isEmpty }
}
