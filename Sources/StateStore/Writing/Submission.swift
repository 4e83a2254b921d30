/// A commit on its way to the journal.
package struct Submission: Sendable {
    package let record: CommitRecord
    /// The generation of its space. Each commit builds on the previous ones. If one is not stored, no later commit of
    /// its generation is.
    let generation: Int
    package let submitter: Submitter
}

/// The result of a submission, as far as it is known at once.
package enum SubmitResult: Sendable {
    /// The commit is stored.
    case stored
    /// The commit is not stored, for this reason.
    case undone(SubmissionOutcome)
    /// The submitter receives the outcome later.
    case underWay
}

/// The outcome of a submission.
package struct SubmissionOutcome: Sendable {
    let space: SpaceName
    let version: Int
    let generation: Int
    let status: CommitStatus

    init(_ submission: Submission, _ status: CommitStatus) {
        space = submission.record.space
        version = submission.record.version
        generation = submission.generation
        self.status = status
    }
}

/// The fate of a commit.
package enum CommitStatus: Sendable {
    case stored
    /// The space is not at the version before the commit.
    case moved
    case failed(JournalFailure)
}

extension Submission {
    /// Reports the statuses of submissions, in their order, to their submitters on their executors.
    package static func report(_ batch: [Submission], _ statuses: [CommitStatus]) {
        var start = 0
        while start < batch.count {
            let submitter = batch[start].submitter
            let end = batch[start...].firstIndex { $0.submitter !== submitter } ?? batch.count
            let outcomes = (start..<end).map { SubmissionOutcome(batch[$0], statuses[$0]) }
            submitter.executor.post { submitter.report(outcomes) }
            start = end
        }
    }
}
