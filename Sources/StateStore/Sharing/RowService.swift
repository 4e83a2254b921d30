/// The services of this process for other nodes, about rows in memory only. They answer nil if this process must not or
/// cannot answer now. All are called and answer on any thread.
package struct RowService: Sendable {
    /// A closure that performs news of presence in a space.
    package typealias PresenceHandler =
        @Sendable (PresenceMessage, SpaceName, @escaping @Sendable (PresenceAnswer?) -> Void) -> Void

    /// Answers a request for the rows of a space that this node owns.
    package let rows: @Sendable (RowsRequest, @escaping @Sendable (RowsAnswer?) -> Void) -> Void
    /// Performs news of presence in a space that this node owns.
    package let presence: PresenceHandler
    /// Takes news about a space that another node owns.
    package let told: @Sendable (NodeNews, SpaceName) -> Void
    /// Takes the processes that live.
    package let living: @Sendable (Set<String>) -> Void

    /// The services.
    package init(
        rows: @escaping @Sendable (RowsRequest, @escaping @Sendable (RowsAnswer?) -> Void) -> Void,
        presence: @escaping PresenceHandler,
        told: @escaping @Sendable (NodeNews, SpaceName) -> Void,
        living: @escaping @Sendable (Set<String>) -> Void
    ) {
        self.rows = rows
        self.presence = presence
        self.told = told
        self.living = living
    }
}
