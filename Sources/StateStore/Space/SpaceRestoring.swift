import Ground
import Reactive

/// The return to a past state: a commit like that of an action, which changes all features at once.
extension Restoration: DraftingAction {
    /// What finds, in slices, the rows of a large space that the commit is to change.
    func comparisons(in space: Space) -> [any SlicedIndex] {
        guard case .success(let past) = state else { return [] }
        differences.value.value = space.features.differences(from: past.value)
        return differences.value.value
    }

    func end() {
        for difference in differences.value.value { difference.detach() }
        differences.value.value = []
    }

    /// The answer may show views that only the past state defines.
    func refusal(ofViewsOf call: Call, in space: Space) -> Refusal? {
        call.permit.flatMap(space.refusal(byRulesOf:))
    }

    func draft(_ call: Call, at: Timestamp, in space: Space) throws(Refusal) -> CommitDraft {
        let past: FeatureSet
        switch state {
        case .failure(let refusal): throw .past(refusal)
        case .success(let state): past = state.value
        }
        if let refusal = space.refusal(of: call.permit?.sources ?? [], in: past) { throw refusal }
        let features = space.features
        var draft = CommitDraft(features: features.made, past: past, withheld: withheld, isOfAnySize: true)
        var transaction = space.graph.draft()
        features.change(to: past, by: differences.value.value, in: &transaction)
        space.graph.dropUnchanged()
        do throws(Rejection) {
            for feature in features.made {
                for fact in try feature.facts() { draft.facts.append(fact) }
            }
        } catch {
            throw .rejected(error)
        }
        return draft
    }
}
