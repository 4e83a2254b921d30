/// The only user of a journal. The journal may block; the stores never wait for it.
package protocol JournalWriter: AnyObject, Sendable {
    /// Appends a commit. If the outcome is not known at once, the submitter receives it later, on its executor.
    func submit(_ submission: Submission) -> SubmitResult

    /// Loads the content of a space. The requests of one turn of an executor are served together.
    func load(_ request: LoadRequest)

    /// Runs `work` with the journal, then `then` with the result, on the executor. `work` only reads.
    func read<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void)

    /// Runs `work` with the journal, then `then` with the result, on the executor. `work` writes, but appends no
    /// commit: it deletes a space, for instance. It may wait for the disk as long as an append; reads do not wait for
    /// it.
    func write<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void)

    /// Deletes a space, and calls `then` on the executor with the result of `Journal.forget`.
    func forget(
        _ space: SpaceName, for executor: any Executor,
        then: @escaping @Sendable (Result<Bool, JournalFailure>) -> Void)

    /// The division of the spaces among the nodes of a cluster; nil if this process owns all.
    var ownership: (any SpaceOwnership)? { get }

    /// The journal, for threads that may block.
    var journal: any Journal { get }

    /// Appends all submitted commits and closes the journal. Returns the failure if a stored commit may not be durable.
    @discardableResult
    func close() -> JournalFailure?
}

extension JournalWriter {
    /// Nil: this process owns all spaces.
    package var ownership: (any SpaceOwnership)? { nil }

    /// Deletes a space like other writes.
    package func forget(
        _ space: SpaceName, for executor: any Executor,
        then: @escaping @Sendable (Result<Bool, JournalFailure>) -> Void
    ) {
        write(
            for: executor,
            { journal in
                do throws(JournalFailure) {
                    return .success(try journal.forget(space))
                } catch {
                    return .failure(error)
                }
            }, then: then)
    }
}
