import Outgoing

extension Exposition {
    /// Writes what was fetched from other servers.
    mutating func add(_ counts: [Outgoing.Count]) {
        let name = "headwater_outgoing_requests_total"
        begin(name, .counter, "Requests to other servers, by what they were for and how they ended.")
        for count in counts { add(name, [("target", count.target), ("outcome", count.outcome)], Double(count.requests)) }
    }
}
