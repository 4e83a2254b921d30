import HTTP
import StateStore

/// What happens to a request whose client may send it.
enum RequestCourse {
    /// This node handles it now.
    case here
    /// This node handles it after a wait.
    case later(RequestWait)
    /// This node handles it after `whenFresh`, or after `later`. It names no version, and wants no stream.
    case whenFresh(SpaceName)
    /// It is answered, now or later.
    case taken
}

/// The course of a read, as the head of its request decides it for good: in a cluster of one that names no versions, on one
/// server of one whose versions are shown.
enum ReadPlan {
    /// The node handles it now.
    case near
    /// The node handles it once it has everything that was answered of the space.
    case fresh(SpaceName)
}
