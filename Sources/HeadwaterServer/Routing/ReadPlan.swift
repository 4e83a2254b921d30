import StateStore

/// The course of a read, as the head of its request decides it for good: in a cluster of one that names no versions, on one
/// server of one whose versions are shown.
enum ReadPlan {
    /// The node handles it now.
    case near
    /// The node handles it once it has everything that was answered of the space.
    case fresh(SpaceName)
}
