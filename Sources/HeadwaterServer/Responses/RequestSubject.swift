import StateStore

/// The space of a request, and the action or the view that its path names.
final class RequestSubject: Sendable {
    let space: SpaceName?
    let name: String?

    init(_ space: SpaceName?, _ name: String?) {
        (self.space, self.name) = (space, name)
    }
}
