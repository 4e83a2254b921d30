internal import Ground

/// The rendezvous hash of lanes and nodes: each node computes the same best node of a lane, and a node that comes or
/// goes moves only its own lanes.
enum Placement {
    /// Returns the best of some nodes for a lane; nil without nodes.
    static func best(of lane: Lane, among nodes: [String]) -> String? {
        nodes.max { (weight(lane, $0), $0) < (weight(lane, $1), $1) }
    }

    private static func weight(_ lane: Lane, _ node: String) -> UInt64 {
        var hash = FNV1a(node.utf8)
        hash.add(0)
        hash.add(Array("\(lane)".utf8))
        // The digests of similar texts differ in few bits.
        var mixed = hash.value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
