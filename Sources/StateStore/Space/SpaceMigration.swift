import JSON
import Reactive

/// The migration of a space: state that an older document has left gets the form of the present one, in a commit for
/// each feature.
extension Space {
    /// Migrates the features whose state has an older form than their definitions.
    func migrate() {
        guard state.isHere else { return }
        for feature in features.outdated {
            // A journal that cannot be written is not asked again until the space is loaded anew.
            if isMigrationRefused {
                features.noteUnmigrated(feature, "the journal cannot be written")
            } else {
                migrate(feature)
            }
            guard state.isHere else { return }
        }
    }

    private func migrate(_ feature: FeatureInstance) {
        var facts: Facts
        let blueprint = feature.blueprint
        let old = features.level(of: blueprint)
        do {
            var transaction = graph.draft()
            try feature.migrate(from: old, in: &transaction)
            graph.dropUnchanged()
            facts = try feature.facts()
        } catch {
            graph.discard()
            let reason = "\(error)"
            features.noteUnmigrated(feature, reason)
            context.library?.noteProblem(of: blueprint.name, in: name, reason)
            return
        }
        context.library?.noteProblem(of: blueprint.name, in: name, nil)
        if facts.isEmpty { graph.discard() }
        guard let level = features.noteLevel(of: blueprint) else { return }
        state.commit()
        if !facts.isEmpty { graph.publish() }
        feature.noteKept(facts)
        facts.append(level)
        noteCommitted(facts)
        let input = "{\"feature\":\"\(blueprint.name)\",\"from\":\(old),\"to\":\(blueprint.level)}"
        submitOwn(
            Call(feature: DeployedDocuments.feature, action: "migrated", input: Array(input.utf8)), facts
        ) { [weak self] result in
            if case .failure = result { self?.isMigrationRefused = true }
        }
    }
}
