import Ground
import JSON
import Platform
package import ReplicatedJournal

/// The commands about a cluster: each blocks until the servers have answered.
package final class ClusterAdministration: Sendable {
    /// The time that a command waits for a connection.
    private static let patience = Duration.seconds(5)
    /// The time for a stream to be made: its copies elect a leader.
    private static let making = Duration.seconds(10)

    private let log: NATSLog
    private let session: NATSSession

    /// Connects; throws the reason if every server refuses, or if none accepts a connection within five seconds.
    package init(_ settings: NATSSettings) throws(ClusterFault) {
        let reason = Lock("no server answers")
        let refusals = Lock<Set<String>>([])
        let change = Condition()
        do throws(NATSFault) {
            log = try NATSLog(settings) { notice in
                switch notice {
                case .connected, .warning: change.signal()
                case .waiting(let words): reason.with { $0 = words }
                case .refused(let words):
                    reason.with { $0 = words }
                    refusals.with { _ = $0.insert(words) }
                    change.signal()
                }
            }
        } catch {
            throw ClusterFault(error)
        }
        let deadline = MonotonicTime.now + Self.patience.nanoseconds * Int64(settings.slowness)
        // The words of a refusal name the server.
        while log.session == nil, refusals.with({ $0.count }) < settings.servers.count,
            change.wait(until: deadline) == .signaled
        {}
        guard let session = log.session else {
            log.close()
            throw ClusterFault(reason.with { $0 })
        }
        self.session = session
    }

    /// Ends the connection.
    package func close() {
        log.close()
    }

    // MARK: Init

    /// Makes the streams of a cluster. Returns false if they exist with as many lanes; throws if with others.
    package func initialize(lanes: Int, replicas: Int) throws(ClusterFault) -> Bool {
        var mark = ClusterMark(lanes: lanes, replicas: replicas)
        let present = try self.mark(of: .common)
        if let present {
            guard present.lanes == lanes else {
                throw ClusterFault(
                    "the cluster \(log.names.cluster) has \(present.lanes) lanes, not \(lanes); lanes cannot change: "
                        + "export, import, and make another cluster with headwater cluster restore")
            }
            mark = present
        }
        // The stream of `common` comes last, and its first entry after all: a command that was broken off goes on here.
        for lane in Lane.all(lanes).reversed() {
            if present != nil, try self.mark(of: lane) != nil { continue }
            try make(lane, mark)
        }
        try makeLeases(replicas: mark.replicas)
        guard try extent(of: .common).last == 0 else { return false }
        let entry = ClusterSettings.new(lanes: lanes).entry(by: "init", batch: .random())
        do throws(LogFailure) {
            _ = try Awaited.success { log.append(entry.encoded(after: .beginning).bytes, to: .common, after: 0, $0) }
        } catch {
            // Another command was first, or the answer was lost.
            guard try extent(of: .common).last > 0 else { throw ClusterFault(error) }
        }
        return true
    }

    /// Makes the streams of a cluster whose first copy is that of a backup, in a directory that `prepare` makes.
    package func restore(
        replicas: Int, _ prepare: () throws(ClusterFault) -> RestoredCopy
    ) throws(ClusterFault) -> RestoredCopy {
        if try mark(of: .common) != nil {
            throw ClusterFault("the servers have a cluster \(log.names.cluster) already: name another one")
        }
        let copy = try prepare()
        let mark = ClusterMark(lanes: copy.lanes, replicas: replicas)
        // The stream of `common` comes last: without it there is no cluster, and nothing in the other streams.
        for lane in Lane.all(copy.lanes).reversed() {
            if try self.mark(of: lane) != nil { try ask("STREAM.DELETE.\(log.names.stream(of: lane))", "", replicas) }
            try make(lane, mark, after: copy.positions[lane] ?? 1)
            try requireBeginning(of: lane, after: copy.positions[lane] ?? 1)
        }
        try makeLeases(replicas: replicas)
        return copy
    }

    /// The mark of a lane's stream; nil if there is no stream.
    private func mark(of lane: Lane) throws(ClusterFault) -> ClusterMark? {
        do throws(NATSFault) {
            let facts = try Awaited.success { self.session.describe(log.names.stream(of: lane), $0) }
            guard let mark = ClusterMark(facts.description) else {
                throw .unusable("the stream \(log.names.stream(of: lane)) is not one of Headwater")
            }
            return mark
        } catch {
            if error.code == NATSFault.noStream { return nil }
            guard error == .nobody || error == .timedOut else { throw ClusterFault(error) }
            throw ClusterFault(
                "the log does not answer: two of three servers must run, and reach each other (\(error.description))")
        }
    }

    private func extent(of lane: Lane) throws(ClusterFault) -> LaneExtent {
        do throws(LogFailure) {
            return try Awaited.success { log.extent(of: lane, $0) }
        } catch {
            throw ClusterFault(error)
        }
    }

    private func make(_ lane: Lane, _ mark: ClusterMark, after last: Int = 0) throws(ClusterFault) {
        try ask(
            "STREAM.CREATE.\(log.names.stream(of: lane))", log.names.settings(of: lane, mark, after: last),
            mark.replicas)
    }

    private func makeLeases(replicas: Int) throws(ClusterFault) {
        try ask("STREAM.CREATE.\(log.names.leases)", log.names.leaseSettings(replicas: replicas), replicas)
    }

    private func ask(_ method: String, _ body: String, _ replicas: Int) throws(ClusterFault) {
        do throws(NATSFault) {
            _ = try Awaited.success { self.session.ask(method, body, timeout: Self.making, $0) }
        } catch {
            // JetStream: replicas without a cluster of servers, and too few servers.
            guard error.code == 10_074 || error.code == 10_005 else { throw ClusterFault(error) }
            throw ClusterFault(
                "the servers cannot keep \(replicas) copies: a cluster needs \(replicas) servers with JetStream that know "
                    + "each other (--replicas 1 for a trial)")
        }
    }

    // MARK: Show

    /// Reads the nodes and the lanes.
    package func report() throws(ClusterFault) -> ClusterReport {
        let mark = try existing()
        var nodes: [ClusterReport.ReportedNode] = []
        do throws(NATSFault) {
            let answer = try Awaited.success {
                self.session.ask("STREAM.INFO.\(log.names.leases)", "{\"subjects_filter\":\">\"}", $0)
            }
            let now = answer["ts"]?.text.flatMap { RFC3339.microseconds(of: $0) }
            guard case .object(let subjects)? = answer["state"]?["subjects"] else {
                return ClusterReport(
                    cluster: log.names.cluster, lanes: mark.lanes, replicas: mark.replicas, nodes: [])
            }
            for name in subjects.map({ String($0.key.dropFirst(log.names.lease(of: "").utf8.count)) }).sorted() {
                let message = try Awaited.success {
                    self.session.message("\"last_by_subj\":\"\(log.names.lease(of: name))\"", of: log.names.leases, $0)
                }
                // A lease that a newer program wrote in another form is left out.
                guard let lease = try? Lease(bytes: message.bytes) else { continue }
                let age = message.time.flatMap { RFC3339.microseconds(of: $0) }.flatMap { time in now.map { $0 - time }
                }
                nodes.append(ClusterReport.ReportedNode(lease: lease, age: Double(max(0, age ?? 0)) / 1_000_000))
            }
            for index in nodes.indices where nodes[index].condition != "dead" {
                // A node that does not answer, or has an older program, says nothing of itself.
                let text = (try? ask(nodes[index].lease.node, "faults", "")) ?? ""
                nodes[index].faults = text.split(separator: "\n").map(String.init)
            }
        } catch {
            guard error.code == NATSFault.noStream else { throw ClusterFault(error) }
        }
        return ClusterReport(cluster: log.names.cluster, lanes: mark.lanes, replicas: mark.replicas, nodes: nodes)
    }

    private func existing() throws(ClusterFault) -> ClusterMark {
        guard let mark = try mark(of: .common) else {
            throw ClusterFault("the servers have no cluster \(log.names.cluster): run headwater cluster init")
        }
        return mark
    }

    // MARK: Drain and repair

    /// Asks a node to hand its lanes over.
    package func drain(_ node: String) throws(ClusterFault) {
        _ = try existing()
        _ = try ask(node, "drain", "")
    }

    /// Makes the stream of a lane anew, so that it goes on after the last entry that a node has applied. Returns the
    /// number of that entry, and the number of the last one that the stream had.
    package func repair(_ lane: Lane, from node: String) throws(ClusterFault) -> (kept: Int, had: Int?) {
        let cluster = try existing()
        guard lane == .common || lane.number < cluster.lanes else {
            throw ClusterFault("the cluster \(log.names.cluster) has the lanes 0 to \(cluster.lanes - 1) and common")
        }
        let answer = try ask(node, "position", "\(lane)")
        guard let last = Int(answer), last >= 0 else {
            throw ClusterFault("the node \(node) has no copy of the lane \(lane): \(answer)")
        }
        let present = try mark(of: lane)
        let had = present == nil ? nil : try extent(of: lane).last
        if present != nil { try ask("STREAM.DELETE.\(log.names.stream(of: lane))", "", cluster.replicas) }
        let generation = (present?.generation ?? 1) + 1
        try make(
            lane, ClusterMark(lanes: cluster.lanes, replicas: cluster.replicas, generation: generation), after: last)
        try requireBeginning(of: lane, after: last)
        return (last, had)
    }

    private func requireBeginning(of lane: Lane, after last: Int) throws(ClusterFault) {
        guard try extent(of: lane).last == last else {
            throw ClusterFault("the servers are too old to begin the lane \(lane) after the entry \(last)")
        }
    }

    /// Asks one node and returns the text of its answer.
    private func ask(_ node: String, _ subject: String, _ body: String) throws(ClusterFault) -> String {
        guard Lease.isName(node) else {
            throw ClusterFault("a node's name has letters, digits, - and _, not \"\(node)\"")
        }
        do throws(LogFailure) {
            let answer = try Awaited.success {
                log.ask("\(subject).\(node)", Array(body.utf8), timeout: Self.patience * self.session.slowness, $0)
            }
            return String(decoding: answer, as: UTF8.self)
        } catch {
            guard error.kind == .unserved else { throw ClusterFault(error) }
            throw ClusterFault("no node \(node) is connected to the cluster \(log.names.cluster)")
        }
    }
}

/// The value of one callback, awaited on the calling thread. It serves commands; servers never block.
enum Awaited {
    /// Runs `body` and waits until it has called back.
    static func value<Value: Sendable>(_ body: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
        let result = Lock<Value?>(nil)
        let arrival = Condition()
        body { value in
            result.with { $0 = value }
            arrival.signal()
        }
        while true {
            if let value = result.with({ $0 }) { return value }
            _ = arrival.wait()
        }
    }

    /// Runs `body` and waits for its success; throws its failure.
    static func success<Value: Sendable, Failure: Error>(
        _ body: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) throws(Failure) -> Value {
        try value(body).get()
    }
}
