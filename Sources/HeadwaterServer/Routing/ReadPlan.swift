import StateStore

/// The course of a read in a cluster that names no versions, as the head of its request alone decides it.
enum ReadPlan {
    /// The node handles it now.
    case near
    /// The node handles it once it has everything that was answered of the space.
    case fresh(SpaceName)
}
