import Ground
import Reactive

/// The erasure of a row: a commit that removes it, with which the journal erases what it has of the row.
extension Erasure: DraftingAction {
    func draft(_ call: Call, at: Timestamp, in space: Space) throws(Refusal) -> CommitDraft {
        let place = space.features.table(row.table)
        if let place, !place.isErasable { throw .noSuchRow(row) }
        let feature = place.map { space.features[$0.index] }
        var draft = CommitDraft(features: feature.map { [$0] } ?? [], erasesAnswers: true)
        do throws(Rejection) {
            draft.facts = try removal(of: feature, place, in: space.graph)
        } catch {
            throw .rejected(error)
        }
        draft.isWritten = !draft.facts.isEmpty
        if !draft.isWritten {
            switch isStored {
            case .failure(let refusal): throw .past(refusal)
            case .success(false): throw .noSuchRow(row)
            case .success(true):
                // The commit removes what is not there: it makes the version as of which the row is gone from the past.
                let variable = place?.variable.key ?? row.table
                draft.facts.append(Fact(variable: variable, entry: row.key, value: nil))
            }
        }
        return draft
    }

    /// Removes the row in a draft, and returns what changes.
    private func removal(
        of feature: FeatureInstance?, _ place: FeatureSet.TablePlace?, in graph: Graph
    ) throws(Rejection) -> Facts {
        // Behind a rule, a removal of a row that there is not counts as a change. Here it is none.
        // A key that the table cannot have is the key of no row.
        guard let feature, let place, (try? feature.variables[place.variableIndex].entry(row.key)) != nil else {
            return Facts()
        }
        var transaction = graph.draft()
        try feature.removeRow(row.key, of: place.variableIndex, in: &transaction)
        graph.dropUnchanged()
        return try feature.facts()
    }
}
