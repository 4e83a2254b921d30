import JSON
import ReplicatedJournal

/// A stream as its leader describes it.
struct StreamFacts: Equatable, Sendable {
    /// The time of its creation, as text: the identity of its storage.
    let created: String
    /// The number of the oldest message; `last + 1` if there is none.
    let first: Int
    /// The number of the newest message that was ever stored; 0 before the first.
    let last: Int
    /// The number of copies.
    let replicas: Int
    /// The words that `headwater cluster init` has left.
    let description: String
    /// The version of the server that answers; nil from servers before 2.11.
    let version: ServerVersion?

    /// Reads the answer of `STREAM.INFO` or `STREAM.CREATE`.
    init(_ answer: JSON) throws(NATSFault) {
        guard let config = answer["config"], let state = answer["state"], let created = answer["created"]?.text,
            let oldest = state["first_seq"]?.count, let newest = state["last_seq"]?.count,
            let messages = state["messages"]?.count, oldest >= 0,
            (0..<Int.max).contains(newest), messages >= 0
        else { throw .malformed("not the description of a stream") }
        guard Self.isOfLeader(answer["cluster"]) else { throw .nobody }
        self.created = created
        last = newest
        first = messages == 0 ? newest + 1 : oldest
        replicas = config["num_replicas"]?.count ?? 1
        description = config["description"]?.text ?? ""
        version = config["metadata"]?["_nats.ver"]?.text.flatMap { ServerVersion($0) }
    }

    /// The time in nanoseconds after which a leader has lost a copy that it has not heard of.
    private static let silence = 10_000_000_000

    /// Returns true if the leader answers, and has heard of a majority. A server that has no room any more describes its
    /// own copy for as long as it runs.
    private static func isOfLeader(_ group: JSON?) -> Bool {
        guard let group, group["raft_group"] != nil else { return true }
        guard group["leader"]?.text != nil, case .array(let others)? = group["replicas"] else { return false }
        let heard = others.count { $0["current"] == true || $0["active"]?.count.map { $0 < silence } ?? false }
        return (heard + 1) * 2 > others.count + 1
    }
}

/// The facts of a cluster that its streams carry as their description.
struct ClusterMark: Hashable, Sendable {
    /// The number of lanes, besides that of `common`.
    let lanes: Int
    /// The number of copies of each stream.
    let replicas: Int
    /// The number of times that the lane's stream was made.
    let generation: Int

    /// The mark as the description of a stream.
    var text: String { "headwater lanes=\(lanes) replicas=\(replicas) generation=\(generation)" }

    init(lanes: Int, replicas: Int, generation: Int = 1) {
        self.lanes = lanes
        self.replicas = replicas
        self.generation = generation
    }

    /// Reads a description; nil if it is not a mark.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.first == "headwater" else { return nil }
        func number(_ name: String) -> Int? {
            words.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
        }
        guard let lanes = number("lanes"), let replicas = number("replicas"), let generation = number("generation"),
            (1...Lane.limit).contains(lanes), replicas > 0, (0..<Int.max).contains(generation)
        else { return nil }
        self.init(lanes: lanes, replicas: replicas, generation: generation)
    }
}
