import Ground
import JSON
import Reactive

/// Several actions in one commit, each on what those before it wrote. All of them change the state, or none.
extension ActionBatch: DraftingAction {
    func draft(_ call: Call, at: Timestamp, in space: Space) throws(Refusal) -> CommitDraft {
        var ids: [ActionID] = []
        for (index, part) in parts.enumerated() {
            // The features may have changed since the names were read.
            guard
                let id = space.context.registry.id(
                    feature: part.id.feature, name: part.id.action, isByEffect: call.isByEffect),
                (id.scope == .common) == (space.name == .common)
            else {
                let gone = Rejection(.invalid, "there is no action \(part.id.name)")
                throw .rejected(rejection(of: index, gone))
            }
            if let reason = space.features.unmigrated[id.featureIndex] { throw .unmigrated(reason) }
            ids.append(id)
        }
        // A feature is made outside of a turn.
        var draft = CommitDraft(features: Set(ids.map(\.featureIndex)).sorted().map { space.features[$0] })
        do throws(Rejection) {
            draft.result = try write(ids, at: at, call, in: space)
            space.graph.dropUnchanged()
            for feature in draft.features {
                for fact in try feature.facts() { draft.facts.append(fact) }
                if feature.blueprint.hasUnkept { draft.unkept += feature.unkeptChanges }
            }
            guard draft.facts.isEmpty || draft.unkept.isEmpty else {
                throw Rejection(
                    .invalid, "the actions write what is kept or what is not, never both: send them apart",
                    at: JSONPointer(["actions"]))
            }
        } catch {
            throw .rejected(error)
        }
        return draft
    }

    /// Performs the actions in a draft, and returns their answers as a list.
    private func write(
        _ ids: [ActionID], at: Timestamp, _ call: Call, in space: Space
    ) throws(Rejection) -> [UInt8] {
        var commit = Commit(
            space.graph.draft(), now: at, version: space.state.version + 1, caller: call.caller,
            random: space.context.randomness(), unkeptChange: space.unkeptChanges + 1)
        commit.knownIDs = call.knownIDs(in: space.name)
        var results = [UInt8(ascii: "[")]
        for (index, (part, id)) in zip(parts, ids).enumerated() {
            commit.result = []
            do throws(Rejection) {
                try space.features[id.featureIndex].act(id.actionIndex, part.text, InputTree(part.input), &commit)
                try space.features[id.featureIndex].checkIndexes()
            } catch {
                throw rejection(of: index, error)
            }
            if index > 0 { results.append(UInt8(ascii: ",")) }
            results += commit.result.isEmpty ? Array("null".utf8) : commit.result
        }
        results.append(UInt8(ascii: "]"))
        return results
    }
}
