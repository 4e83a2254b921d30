import JSON

/// The removal of state whose feature was deleted with `state=drop`: each space removes its own in a commit.
extension Space {
    /// Removes dropped state, if the space has some. Precondition: the content is loaded.
    func removeDropped() {
        guard context.documents.hasDroppedState, !isDropRefused, state.isHere, context.owns(name) else { return }
        var facts = features.takeDropped(context.documents)
        guard !facts.isEmpty else { return }
        advance(writes: false)
        keep(&facts, of: [])
        let call = Call(feature: DeployedDocuments.feature, action: "dropped", input: nil)
        submitOwn(call, facts) { [weak self] result in
            // A later load tries again.
            if case .failure = result { self?.isDropRefused = true }
        }
    }
}

extension FeatureSet {
    /// Removes dropped state and what it remembered, and returns the facts that do so. Its variables belong to no
    /// feature, so their facts wait in `pending`.
    func takeDropped(_ documents: DeployedDocuments) -> Facts {
        var facts = Facts()
        for variable in removePending(where: { documents.isDropped($0) }) {
            facts.append(Fact(variable: variable, value: Array("null".utf8)))
        }
        memories.remove { documents.isDropped($0) }
        memories.takeFacts(into: &facts)
        return facts
    }
}
