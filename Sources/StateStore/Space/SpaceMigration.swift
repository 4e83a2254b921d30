import JSON
import Reactive

/// The migration of a space: state that an older document has left gets the form of the present one, in a commit for
/// each feature.
extension Space {
    /// The delay before a migration that the journal has refused is tried again.
    private static let migrationDelay = Duration.seconds(10)

    /// Migrates the features whose state has an older form than their definitions.
    func migrate() {
        guard state.isHere else { return }
        for feature in features.outdated {
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
        let migrated = features.takeMigratedTables(of: feature)
        let blueprint = feature.blueprint
        let old = features.level(of: blueprint)
        do {
            if let failure = migrated.failure { throw failure }
            var transaction = graph.draft()
            try feature.migrate(
                from: old, but: migrated.indexes, waiting: { features.waitingRows(of: $0, blueprint) }, in: &transaction
            )
            graph.dropUnchanged()
            facts = try feature.facts()
        } catch {
            graph.discard()
            features.noteUnmigrated(feature, "\(error)")
            context.library?.noteProblem(
                of: blueprint.name, in: name, (error as? MigrationFailure)?.detail ?? "\(error)")
            return
        }
        context.library?.noteProblem(of: blueprint.name, in: name, nil)
        let isChanged = !facts.isEmpty
        if !isChanged { graph.discard() }
        guard let level = features.noteLevel(of: blueprint) else { return }
        advance(writes: isChanged)
        facts = features.factsOfMoves(of: feature, beside: facts, but: migrated.indexes, from: old)
        migrated.append(to: &facts)
        facts.append(level)
        keep(&facts, of: CollectionOfOne(feature))
        let input = "{\"feature\":\"\(blueprint.name)\",\"from\":\(old.declared),\"to\":\(blueprint.level)}"
        submitOwn(
            Call(feature: DeployedDocuments.feature, action: "migrated", input: Array(input.utf8)), facts
        ) { [weak self] result in
            if case .failure = result { self?.noteMigrationRefused() }
        }
    }

    private func noteMigrationRefused() {
        isMigrationRefused = true
        let scheduler = context.executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + Self.migrationDelay) { [weak self] _ in
                guard let self, context.isOpen else { return }
                whenIdle { $0.resumeMigration() }
            })
    }

    /// Tries a migration again that the journal has refused.
    func resumeMigration() {
        guard isMigrationRefused, context.owns(name) else { return }
        // With commits under way, the space cannot be loaded anew.
        guard state.isIdle else { return noteMigrationRefused() }
        isMigrationRefused = false
        if state.isHere { reload() }
    }
}
