import ReplicatedJournal
import Synchronization

/// The figures of a node of a cluster.
enum ClusterMetrics {
    /// Writes all figures.
    static func add(to exposition: inout Exposition, _ status: NodeStatus) {
        let lanes = status.lanes.sorted { $0.key < $1.key }
        exposition.begin("headwater_node_up", .gauge, "1 for each node with a living lease, as this node knows it.")
        for lease in status.leases {
            exposition.add("headwater_node_up", [("node", lease.node)], lease.state == .dead ? 0 : 1)
        }
        exposition.add(
            "headwater_lanes_owned", .gauge, "Lanes that this node owns, that of common among them.",
            Double(lanes.count { $0.value.isOwned }))
        exposition.add("headwater_lease_valid", .gauge, "1 while the lease is valid.", status.hasLease ? 1 : 0)
        exposition.begin(
            "headwater_lane_lag_entries", .gauge, "Entries that are known to be stored and not applied, by lane.")
        for (lane, state) in lanes {
            exposition.add(
                "headwater_lane_lag_entries", [("lane", "\(lane)")], Double(max(0, state.end - state.applied)))
        }
        exposition.begin(
            "headwater_node_faults", .gauge, "Lanes that a fault of the node concerns, by fault; 1 for the whole node.")
        let faults = Dictionary(status.faults.map { ($0.kind, max(1, $0.lanes.count)) }) { first, _ in first }
        for kind in NodeFault.Kind.allCases {
            exposition.add("headwater_node_faults", [("fault", kind.rawValue)], Double(faults[kind] ?? 0))
        }
        let now = status.now
        exposition.begin("headwater_lane_lag_seconds", .gauge, "Seconds since which a lane is behind.")
        for (lane, state) in lanes {
            let seconds = state.behindSince.map { Double(now - $0) / 1e9 } ?? 0
            exposition.add("headwater_lane_lag_seconds", [("lane", "\(lane)")], seconds)
        }
        exposition.begin("headwater_chain_broken", .gauge, "1 for a lane that has stopped until an operator acts.")
        for (lane, state) in lanes {
            exposition.add("headwater_chain_broken", [("lane", "\(lane)")], state.halt == nil ? 0 : 1)
        }
        exposition.add("headwater_claims_total", .counter, "Lanes that this node has claimed.", Double(status.claims))
        exposition.begin("headwater_appends_total", .counter, "Appends to the log, by outcome.")
        let appends = status.appends
        for outcome in AppendOutcome.allCases {
            exposition.add("headwater_appends_total", [("outcome", "\(outcome)")], Double(appends[outcome] ?? 0))
        }
        add(to: &exposition, "headwater_append_seconds", "Seconds until an entry was stored.", status.appendSeconds)
        add(to: &exposition, "headwater_barrier_seconds", "Seconds that fresh reads waited.", status.barrierSeconds)
        add(
            to: &exposition, "headwater_common_wait_seconds",
            "Seconds that stored commits of common waited for other nodes.", status.commonSeconds)
        let counts = RequestForwarder.counts
        exposition.begin("headwater_forwards_total", .counter, "Requests for the owners of other nodes, by outcome.")
        for (outcome, count) in [
            ("answered", counts.answered.load(ordering: .relaxed)),
            ("no-owner", counts.noOwner.load(ordering: .relaxed)),
            ("unknown", counts.unknown.load(ordering: .relaxed)), ("busy", counts.busy.load(ordering: .relaxed)),
        ] {
            exposition.add("headwater_forwards_total", [("outcome", outcome)], Double(count))
        }
    }

    private static func add(
        to exposition: inout Exposition, _ name: String, _ help: String, _ histogram: SecondsHistogram
    ) {
        exposition.begin(name, .histogram, help)
        var sum = 0
        for (bound, count) in zip(SecondsHistogram.bounds, histogram.counts) {
            sum += count
            exposition.add("\(name)_bucket", [("le", "\(bound)")], Double(sum))
        }
        exposition.add("\(name)_bucket", [("le", "+Inf")], Double(histogram.count))
        exposition.add("\(name)_sum", [], histogram.sum)
        exposition.add("\(name)_count", [], Double(histogram.count))
    }
}
