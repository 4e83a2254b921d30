package import ReplicatedJournal

/// The names of a cluster's streams and subjects.
package struct LaneNames: Sendable {
    /// The cluster.
    package let cluster: String

    /// The names of a cluster.
    package init(_ cluster: String) {
        self.cluster = cluster
    }

    /// The stream of a lane.
    package func stream(of lane: Lane) -> String { "hw-\(cluster)-\(lane)" }
    /// The subject of a lane's entries.
    package func subject(of lane: Lane) -> String { "hw.\(cluster).log.\(lane)" }
    /// The stream of the leases: a bucket of keys and values.
    package var leases: String { "KV_hw-\(cluster)-lease" }
    /// The subject of a node's lease.
    package func lease(of node: String) -> String { "$KV.hw-\(cluster)-lease.\(node)" }
    /// The subject of a request.
    package func request(_ subject: String) -> String { "hw.\(cluster).\(subject)" }

    /// The settings of a lane's stream, in JSON.
    func settings(of lane: Lane, _ mark: ClusterMark, after last: Int = 0) -> String {
        """
        {"name":"\(stream(of: lane))","description":"\(mark.text)","subjects":["\(subject(of: lane))"],\
        "retention":"limits","storage":"file","num_replicas":\(mark.replicas),"max_consumers":-1,"max_msgs":-1,\
        "max_bytes":-1,"max_age":0,"max_msgs_per_subject":-1,"max_msg_size":-1,"discard":"new",\
        "duplicate_window":100000000,"deny_delete":true,"allow_direct":false\
        \(last > 0 ? ",\"first_seq\":\(last + 1)" : "")}
        """
    }

    /// The settings of the leases' stream, in JSON. It is in memory: all leases may be lost at once.
    func leaseSettings(replicas: Int) -> String {
        """
        {"name":"\(leases)","description":"headwater leases","subjects":["$KV.hw-\(cluster)-lease.>"],\
        "retention":"limits","storage":"memory","num_replicas":\(replicas),"max_consumers":-1,"max_msgs":-1,\
        "max_bytes":-1,"max_age":0,"max_msgs_per_subject":1,"max_msg_size":-1,"discard":"new",\
        "duplicate_window":100000000,"deny_delete":true,"allow_rollup_hdrs":true,"allow_direct":false}
        """
    }

    /// The settings of a consumer that sends a stream's messages to a subject, in JSON.
    /// Without a number it begins with the last message of each subject, which needs a filter.
    func consumer(of stream: String, to subject: String, after number: Int?) -> String {
        let start =
            number.map { "\"by_start_sequence\",\"opt_start_seq\":\($0 + 1)" }
            ?? "\"last_per_subject\",\"filter_subject\":\"\(lease(of: ">"))\""
        return """
            {"stream_name":"\(stream)","config":{"deliver_subject":"\(subject)","deliver_policy":\(start),\
            "ack_policy":"none","replay_policy":"instant","max_deliver":1,"flow_control":true,\
            "idle_heartbeat":2000000000,"num_replicas":1,"mem_storage":true}}
            """
    }
}
