import StateModel

// Failed expectations print what they hold. Each of these types prints itself in a line, and its mirror has no parts that a
// person does not read.

extension HeadwaterClient: CustomStringConvertible, CustomReflectable {
    /// The state of the connection and of the queue: `a client: live, 2 wait, 0 refused`.
    public var description: String { "a client: \(status)" }
    /// The status.
    public var customMirror: Mirror { Mirror(self, children: ["status": status], displayStyle: .class) }
}

extension ClientStatus: CustomStringConvertible {
    /// `live, 2 wait, 0 refused`.
    public var description: String {
        let queue = "\(connection), \(waiting) wait, \(refused) refused"
        return storageFault.map { "\(queue), the queue is in memory only: \($0)" } ?? queue
    }
}

extension ClientSpace: CustomStringConvertible, CustomReflectable {
    /// `the space main of a client: live, 2 wait, 0 refused`.
    public var description: String { "the space \(name) of \(client)" }
    /// The name.
    public var customMirror: Mirror { Mirror(self, children: ["name": name], displayStyle: .struct) }
}

extension FeatureSpace: CustomStringConvertible, CustomReflectable {
    /// `auction in the space main of a client: live, 2 wait, 0 refused`.
    public var description: String { "\(model.name) in \(space)" }
    /// The names.
    public var customMirror: Mirror {
        Mirror(self, children: ["feature": model.name, "space": space.name], displayStyle: .struct)
    }
}

extension LocalSpace: CustomStringConvertible, CustomReflectable {
    /// `auction on this device, in the space main of a client: live, 2 wait, 0 refused`.
    public var description: String { "\(remote.model.name) on this device, in \(remote.space)" }
    /// The names, and the number of actions that are shown before the server has them.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["feature": remote.model.name, "space": remote.space.name, "predictedCount": predictedCount],
            displayStyle: .class)
    }
}

extension Performed: CustomStringConvertible, CustomReflectable {
    /// `waits`, `version 7`, `version 7, shown` or `refused: the lot is closed`.
    public var description: String {
        let (reply, isShown, problem) = wait.outcome
        if let problem { return "refused: \(problem)" }
        return reply.map { "version \($0.version)\(isShown ? ", shown" : "")" } ?? "waits"
    }
    /// The name, and how far the action is.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "state": description], displayStyle: .class) }
}
