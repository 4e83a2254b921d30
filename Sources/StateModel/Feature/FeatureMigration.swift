import JSON
import Reactive

/// The edition up to which the state of a feature was migrated in a space.
package struct StateLevel: Equatable {
    /// The edition of the variables that the definition declares.
    package var declared = 0
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
    package init(_ json: JSON) {
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
    package func level(of blueprint: FeatureBlueprint) -> StateLevel {
        levels[blueprint.name + blueprint.keySuffix] ?? StateLevel()
    }

    /// Notes that the state of a feature has the form of its definition, and returns the fact that says so; nil if the
    /// facts say so already.
    package func noteLevel(of blueprint: FeatureBlueprint) -> Fact? {
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
    package var outdated: [FeatureInstance] {
        let blueprints = catalog.blueprints(in: scope)
        return blueprints.indices.filter { index in
            isOutdated(index)
                && (isKept(index) || moved[blueprints[index].name] != nil) && unmigrated[index] == nil
        }.map { self[$0] }
    }

    /// Returns true if state of the feature of an index would have an older form than its definition.
    func isOutdated(_ index: Int) -> Bool {
        let blueprint = catalog.blueprints(in: scope)[index]
        return blueprint.level > 0 && isOutdated(level(of: blueprint), blueprint)
    }

    /// Returns true if state of a level has an older form than its definition.
    private func isOutdated(_ level: StateLevel, _ blueprint: FeatureBlueprint) -> Bool {
        level.declared < blueprint.level
            || !level.waiting.isEmpty && blueprint.variables.contains { level.waiting[$0.label] != nil }
    }

    /// Returns facts under the names that the documents since have given them, and notes their old names. Dropped ones are
    /// left out.
    package func renamed(_ facts: [Fact]) -> [Fact] {
        var facts = facts
        for blueprint in catalog.blueprints(in: scope) where blueprint.level > 0 {
            let level = level(of: blueprint)
            for move in blueprint.definition.moves where move.edition > level.edition(of: move.from) {
                let key = Self.key(move.from, of: blueprint)
                guard facts.contains(where: { $0.variable == key && !$0.isEmptyState }) else { continue }
                moved[blueprint.name, default: StateMoves()].note(from: key, to: move.to)
                facts = facts.compactMap { fact in
                    guard fact.variable == key else { return fact }
                    return move.to.map {
                        Fact(variable: Self.key($0, of: blueprint), entry: fact.entry, value: fact.value)
                    }
                }
            }
        }
        return facts
    }

    /// The name in facts of a variable of a feature.
    private static func key(_ label: String, of blueprint: FeatureBlueprint) -> String {
        "\(blueprint.name).\(label)\(blueprint.keySuffix)"
    }

    /// The rows of a table that a feature does not declare.
    package func waitingRows(of label: String, _ blueprint: FeatureBlueprint) -> [String: DescribedRow] {
        rows(of: label, blueprint, in: waitingFacts(of: label, blueprint))
    }

    /// The facts of a table that a feature does not declare.
    func waitingFacts(of label: String, _ blueprint: FeatureBlueprint) -> [Fact] {
        waitingFacts(of: Self.key(label, of: blueprint))
    }

    /// The names of the state of a feature that has other names in the journal.
    func renamedLabels(of blueprint: FeatureBlueprint) -> Set<String> { moved[blueprint.name]?.labels ?? [] }

    /// Notes the large tables of a feature that are migrated.
    func note(_ tables: MigratedTables, of feature: FeatureInstance) { migratedTables[feature.name] = tables }

    /// Returns the large tables of a feature that are migrated before the commit of its migration, once.
    package func takeMigratedTables(of feature: FeatureInstance) -> MigratedTables {
        migratedTables.removeValue(forKey: feature.name) ?? MigratedTables()
    }

    /// Returns true if a catalog migrates a large feature.
    package func migratesLargeState(to catalog: FeatureCatalog) -> Bool {
        catalog.blueprints(in: scope).contains { blueprint in
            blueprint.level > 0 && isOutdated(level(of: blueprint), blueprint)
                && rowCount(ofFeature: blueprint.name) >= RowBuild.rowsAtLeast
        }
    }

    /// The number of rows of a feature, made or not.
    private func rowCount(ofFeature name: String) -> Int {
        if let made = made.first(where: { $0.name == name }) { return made.variables.reduce(0) { $0 + $1.rowCount } }
        return waitingEntryCount(ofFeature: name)
    }

    /// The rows of a table of a feature in some facts.
    package func rows(of label: String, _ blueprint: FeatureBlueprint, in facts: [Fact]) -> [String: DescribedRow] {
        let key = Self.key(label, of: blueprint)
        var rows: [String: DescribedRow] = [:]
        for fact in facts where fact.variable == key { rows.take(fact) }
        return rows
    }

    /// Returns the facts that give the moved state of a feature its names in the journal, after its migration; `facts` are
    /// those of the migration, but for tables that are migrated. Rows that a table was made of go, unless the feature
    /// declares them.
    package func factsOfMoves(
        of feature: FeatureInstance, beside facts: Facts, but migrated: Set<Int>, from level: StateLevel
    ) -> Facts {
        let blueprint = feature.blueprint
        var moves = moved.removeValue(forKey: blueprint.name) ?? StateMoves()
        for source in blueprint.definition.sources where source.edition > level.edition(of: source.from) {
            let key = Self.key(source.from, of: blueprint)
            guard catalog.variable(key) == nil, !removePending(where: { $0 == key }).isEmpty else { continue }
            moves.note(from: key, to: nil)
        }
        guard !moves.isEmpty else { return facts }
        let renamed = Set(moves.labels.map { Self.key($0, of: blueprint) })
        var all = Facts()
        for fact in facts where !renamed.contains(fact.variable) { all.append(fact) }
        for (index, variable) in blueprint.variables.enumerated()
        where renamed.contains(variable.key) && !migrated.contains(index) {
            // What was read can be written.
            if let whole = try? feature.variables[index].whole() {
                all.append(Fact(variable: variable.key, value: whole))
            }
        }
        for key in moves.keys { all.append(Fact(variable: key, value: Array("{}".utf8))) }
        return all
    }

    /// Notes that the definition of a feature cannot take its state.
    package func noteUnmigrated(_ feature: FeatureInstance, _ reason: String) {
        guard let index = instances.firstIndex(where: { $0 === feature }) else { return }
        unmigrated[index] = reason
    }

    /// Migrates the outdated state of features that belong to no space in use.
    package func migrateOutdated(in graph: Graph) {
        for feature in outdated {
            do throws(MigrationFailure) {
                try graph.commit { transaction throws(MigrationFailure) in
                    try feature.migrate(
                        from: level(of: feature.blueprint), but: [],
                        waiting: { waitingRows(of: $0, feature.blueprint) }, in: &transaction)
                }
                moved[feature.blueprint.name] = nil
                _ = noteLevel(of: feature.blueprint)
            } catch {
                noteUnmigrated(feature, error.description)
            }
        }
    }
}

extension [String: DescribedRow] {
    /// Takes a fact of a table that no definition declares. A row that cannot be read is none.
    mutating func take(_ fact: Fact) {
        if let entry = fact.entry {
            self[entry] = fact.value.flatMap { try? DescribedRow(parsing: $0) }
        } else if let value = fact.value {
            self = (try? [String: DescribedRow](parsing: value)) ?? [:]
        }
    }
}

extension FeatureBlueprint {
    /// The names in facts of the state that its documents rename, make rows of, or drop.
    package var storedKeys: [String] {
        (definition.moves.map(\.from) + definition.sources.map(\.from)).map { "\(name).\($0)\(keySuffix)" }
    }
}

/// The state of a feature in a space that has other names than in the journal.
struct StateMoves {
    /// The names in facts that go.
    private(set) var keys: [String] = []
    /// The present names of what stays.
    private(set) var labels: Set<String> = []

    var isEmpty: Bool { keys.isEmpty }

    mutating func note(from key: String, to label: String?) {
        if !keys.contains(key) { keys.append(key) }
        if let label { labels.insert(label) }
    }
}
