/// Which generations of which spaces of whom have come to an end because a commit of theirs was not kept.
struct Fences {
    private struct Place: Hashable {
        let submitter: ObjectIdentifier
        let space: SpaceName
    }

    private var ended: [Place: Int] = [:]

    /// Ends the generation of a submission.
    mutating func end(_ submission: Submission) {
        ended[place(submission)] = submission.generation
    }

    /// Whether the generation of a submission has ended. A fence is taken down when a later generation comes.
    mutating func isEnded(_ submission: Submission) -> Bool {
        guard !ended.isEmpty, let generation = ended[place(submission)] else { return false }
        if submission.generation <= generation { return true }
        ended[place(submission)] = nil
        return false
    }

    private func place(_ submission: Submission) -> Place {
        Place(submitter: ObjectIdentifier(submission.submitter), space: submission.record.space)
    }
}

extension Fences {
    /// Has the journal keep a commit, if it may be kept; what became of it.
    mutating func append(_ submission: Submission, to journal: any Journal) -> Outcome.Result {
        if isEnded(submission) { return .moved }
        let result: Outcome.Result
        do {
            result = try journal.append(one: submission.record) == .kept ? .kept : .moved
        } catch {
            result = .failed(error)
        }
        if case .kept = result { return result }
        end(submission)
        return result
    }

    /// Has the journal keep what may be kept of a batch; what became of each, in their order.
    mutating func append(_ batch: [Submission], to journal: any Journal) -> [Outcome.Result] {
        let open = ended.isEmpty ? nil : batch.map { !isEnded($0) }
        let records = open.map { open in zip(batch, open).compactMap { $1 ? $0.record : nil } } ?? batch.map(\.record)
        let results: [Outcome.Result]
        do {
            results = try journal.append(records).map { $0 == .kept ? .kept : .moved }
        } catch {
            results = records.map { _ in .failed(error) }
        }
        var next = 0
        return batch.indices.map { index in
            if let open, !open[index] { return .moved }
            defer { next += 1 }
            if case .kept = results[next] { return .kept }
            end(batch[index])
            return results[next]
        }
    }
}
