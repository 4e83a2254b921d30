/// The store that submitted a commit, as seen by the threads of a journal writer.
package final class Submitter: @unchecked Sendable {
    // Sendable because only the executor accesses the mutable properties.
    package let executor: any Executor
    /// The ended generations, for a writer that appends within the call.
    var fences = GenerationFences()
    /// The commits submitted in this turn, for a writer that appends in batches.
    package var gathered: [Submission] = []
    /// The number of commits that another thread appends.
    var underWay = 0
    /// The loads requested in this turn, for a writer that loads in batches.
    var loads: [LoadRequest] = []
    private let receive: ([SubmissionOutcome]) -> Void

    /// A submitter whose outcomes go to `receive`, on the executor.
    init(on executor: any Executor, _ receive: @escaping ([SubmissionOutcome]) -> Void) {
        self.executor = executor
        self.receive = receive
    }

    /// Reports outcomes in the order of submission. Only on the executor.
    func report(_ outcomes: [SubmissionOutcome]) {
        receive(outcomes)
    }
}
