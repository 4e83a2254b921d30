package import StateStore

/// Reads by the names of views, as the server itself: no rule binds them.

extension ReadPermit {
    /// The server's permit for views of a space.
    package static func ofServer(_ views: [String], in space: SpaceName, _ registry: Registry) -> ReadPermit {
        do throws(Refusal) {
            return try issue(views.map { ViewKey($0) }, in: space, to: .server, by: registry)
        } catch {
            preconditionFailure("the server may read every space: \(error)")
        }
    }
}

extension Store {
    /// Reads views of a space.
    package func read(
        _ views: [String], in space: SpaceName, _ reply: @escaping (Result<ViewSnapshot, Refusal>) -> Void
    ) {
        read(.ofServer(views, in: space, registry), reply)
    }

    /// Subscribes to views of a space.
    package func watch(
        _ views: [String], in space: SpaceName, _ receive: @escaping (Result<ViewFrames, Refusal>) -> Void
    ) -> Watch {
        watch(.ofServer(views, in: space, registry), receive)
    }

    /// Replies with the data flow behind views of a space.
    package func describe(
        _ views: [String], in space: SpaceName,
        _ reply: @escaping (Result<(graph: SpaceGraph, moment: Moment), Refusal>) -> Void
    ) {
        describe(.ofServer(views, in: space, registry), reply)
    }
}
