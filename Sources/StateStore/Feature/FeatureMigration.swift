import Reactive

/// The state of features whose documents migrate it.
extension FeatureSet {
    /// The edition up to which the state of a feature was migrated.
    func level(of blueprint: FeatureBlueprint) -> Int { levels[blueprint.name + blueprint.keySuffix] ?? 0 }

    /// Notes that the state of a feature has the form of its definition, and returns the fact that says so; nil if the
    /// facts say so already.
    func noteLevel(of blueprint: FeatureBlueprint) -> Fact? {
        let name = blueprint.name + blueprint.keySuffix
        guard levels[name] ?? 0 < blueprint.level else { return nil }
        levels[name] = blueprint.level
        return Fact(variable: "~~\(name)", value: Array("\(blueprint.level)".utf8))
    }

    /// The features whose state has an older form than their definitions.
    var outdated: [FeatureInstance] {
        let blueprints = catalog.blueprints(in: scope)
        return blueprints.indices.filter { index in
            blueprints[index].level > 0 && blueprints[index].level > level(of: blueprints[index]) && isKept(index)
                && unmigrated[index] == nil
        }.map { self[$0] }
    }

    /// Notes that the definition of a feature cannot take its state.
    func noteUnmigrated(_ feature: FeatureInstance, _ reason: String) {
        guard let index = instances.firstIndex(where: { $0 === feature }) else { return }
        unmigrated[index] = reason
    }

    /// Migrates the outdated state of features that belong to no space in use.
    func migrateOutdated(in graph: Graph) {
        for feature in outdated {
            do throws(MigrationFailure) {
                try graph.commit { transaction throws(MigrationFailure) in
                    try feature.migrate(from: level(of: feature.blueprint), in: &transaction)
                }
                _ = noteLevel(of: feature.blueprint)
            } catch {
                noteUnmigrated(feature, error.description)
            }
        }
    }
}
