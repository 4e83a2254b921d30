import JSON
import Reactive

/// The edition up to which the state of a feature was migrated in a space.
struct StateLevel: Equatable {
    /// The edition of the variables that the definition declares.
    var declared = 0
    /// The editions of variables that wait for a definition that declares them again, if they differ.
    var waiting: [String: Int] = [:]

    /// Returns the edition of a variable.
    func edition(of label: String) -> Int { waiting[label] ?? declared }

    /// The fact that says so: a number, or an object with the variables that wait.
    var json: JSON {
        guard !waiting.isEmpty else { return .number(Decimal(declared)) }
        var editions = JSON.Object()
        for (label, edition) in waiting.sorted(by: { $0.key < $1.key }) { editions[label] = .number(Decimal(edition)) }
        return ["declared": .number(Decimal(declared)), "waiting": .object(editions)]
    }

    init(declared: Int = 0, waiting: [String: Int] = [:]) { (self.declared, self.waiting) = (declared, waiting) }

    /// Reads a fact. One that is no level counts as none.
    init(_ json: JSON) {
        self.init(declared: Self.edition(json["declared"] ?? json))
        guard case .object(let editions)? = json["waiting"] else { return }
        for member in editions { waiting[member.key] = Self.edition(member.value) }
    }

    private static func edition(_ json: JSON) -> Int {
        if case .number(let number) = json { Int(number.int64 ?? 0) } else { 0 }
    }
}

/// The state of features whose documents migrate it.
extension FeatureSet {
    /// The edition up to which the state of a feature was migrated.
    func level(of blueprint: FeatureBlueprint) -> StateLevel {
        levels[blueprint.name + blueprint.keySuffix] ?? StateLevel()
    }

    /// Notes that the state of a feature has the form of its definition, and returns the fact that says so; nil if the
    /// facts say so already.
    func noteLevel(of blueprint: FeatureBlueprint) -> Fact? {
        let old = level(of: blueprint)
        guard isOutdated(old, blueprint) else { return nil }
        // Variables that wait keep the edition that they have.
        var new = StateLevel(declared: max(old.declared, blueprint.level))
        for label in waitingLabels(of: blueprint) where old.edition(of: label) < new.declared {
            new.waiting[label] = old.edition(of: label)
        }
        guard new != old, let value = try? new.json.json() else { return nil }
        let name = blueprint.name + blueprint.keySuffix
        levels[name] = new
        return Fact(variable: "~~\(name)", value: value)
    }

    /// The features whose state has an older form than their definitions.
    var outdated: [FeatureInstance] {
        let blueprints = catalog.blueprints(in: scope)
        return blueprints.indices.filter { index in
            blueprints[index].level > 0 && isOutdated(level(of: blueprints[index]), blueprints[index])
                && isKept(index) && unmigrated[index] == nil
        }.map { self[$0] }
    }

    /// Returns true if state of a level has an older form than its definition.
    private func isOutdated(_ level: StateLevel, _ blueprint: FeatureBlueprint) -> Bool {
        level.declared < blueprint.level
            || !level.waiting.isEmpty && blueprint.variables.contains { level.waiting[$0.label] != nil }
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
