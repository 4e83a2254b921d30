/// The generations that have ended because one of their commits was not stored, by submitter and space.
struct GenerationFences {
    private struct GenerationOwner: Hashable {
        let submitter: ObjectIdentifier
        let space: SpaceName

        init(_ submission: Submission) {
            submitter = ObjectIdentifier(submission.submitter)
            space = submission.record.space
        }
    }

    private var ended: [GenerationOwner: Int] = [:]

    /// Ends the generation of a submission.
    mutating func end(_ submission: Submission) {
        ended[GenerationOwner(submission)] = submission.generation
    }

    /// Returns true if the generation of a submission has ended. A later generation removes the fence.
    mutating func isEnded(_ submission: Submission) -> Bool {
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
        let open = ended.isEmpty ? nil : batch.map { !isEnded($0) }
        let records = open.map { open in zip(batch, open).compactMap { $1 ? $0.record : nil } } ?? batch.map(\.record)
        let statuses: [CommitStatus]
        do {
            statuses = try journal.append(records).map { $0 == .kept ? .stored : .moved }
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
