internal import Ground

/// A request of a store for the content of a space.
package struct LoadRequest: Sendable {
    package let space: SpaceName
    package let submitter: Submitter
    private let receive: Confined<(Result<StoredSpace?, JournalFailure>) -> Void>

    init(
        _ space: SpaceName, for submitter: Submitter,
        _ receive: @escaping (Result<StoredSpace?, JournalFailure>) -> Void
    ) {
        self.space = space
        self.submitter = submitter
        self.receive = Confined(receive)
    }

    /// Hands over the content. Only on the executor of the submitter.
    package func answer(_ content: Result<StoredSpace?, JournalFailure>) {
        receive.value(content)
    }
}
