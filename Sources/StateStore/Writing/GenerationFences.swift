/// The generations that have ended because one of their commits was not stored, by submitter and space.
package struct GenerationFences {
    private struct GenerationOwner: Hashable {
        let submitter: ObjectIdentifier
        let space: SpaceName

        init(submitter: ObjectIdentifier, space: SpaceName) {
            self.submitter = submitter
            self.space = space
        }

        init(_ submission: Submission) {
            self.init(submitter: ObjectIdentifier(submission.submitter), space: submission.record.space)
        }
    }

    private var ended: [GenerationOwner: Int] = [:]

    /// No generation has ended.
    package init() {}

    /// Ends the generation of a submission.
    package mutating func end(_ submission: Submission) {
        ended[GenerationOwner(submission)] = submission.generation
    }

    /// Ends the generation of a commit that another thread did not store.
    mutating func end(_ submitter: Submitter, _ outcome: SubmissionOutcome) {
        ended[GenerationOwner(submitter: ObjectIdentifier(submitter), space: outcome.space)] = outcome.generation
    }

    /// Returns true if the generation of a submission has ended. A later generation removes the fence.
    package mutating func isEnded(_ submission: Submission) -> Bool {
        guard !ended.isEmpty, let generation = ended[GenerationOwner(submission)] else { return false }
        if submission.generation <= generation { return true }
        ended[GenerationOwner(submission)] = nil
        return false
    }
}

extension GenerationFences {
    /// Appends a commit unless its generation has ended.
    mutating func append(_ submission: Submission, to journal: any Journal) -> CommitStatus {
        if isEnded(submission) { return .moved }
        let status: CommitStatus
        do {
            status = try journal.append(one: submission.record) == .kept ? .stored : .moved
        } catch {
            status = .failed(error)
        }
        if case .stored = status { return status }
        end(submission)
        return status
    }

    /// Appends the commits of a batch whose generations have not ended. Returns the status of each, in their order.
    mutating func append(_ batch: [Submission], to journal: any Journal) -> [CommitStatus] {
        append(batch) { records throws(JournalFailure) in try journal.append(records) } ?? []
    }

    /// Appends the commits of a batch if that needs no waiting, otherwise returns nil.
    mutating func appendAtOnce(_ batch: [Submission], to journal: any Journal) -> [CommitStatus]? {
        append(batch) { records throws(JournalFailure) in try journal.appendAtOnce(records) }
    }

    private mutating func append(
        _ batch: [Submission], _ body: ([CommitRecord]) throws(JournalFailure) -> [AppendResult]?
    ) -> [CommitStatus]? {
        let open = ended.isEmpty ? nil : batch.map { !isEnded($0) }
        let records = open.map { open in zip(batch, open).compactMap { $1 ? $0.record : nil } } ?? batch.map(\.record)
        let statuses: [CommitStatus]
        do {
            guard let results = try body(records) else { return nil }
            statuses = results.map { $0 == .kept ? .stored : .moved }
        } catch {
            statuses = records.map { _ in .failed(error) }
        }
        var next = 0
        return batch.indices.map { index in
            if let open, !open[index] { return .moved }
            defer { next += 1 }
            if case .stored = statuses[next] { return .stored }
            end(batch[index])
            return statuses[next]
        }
    }
}
