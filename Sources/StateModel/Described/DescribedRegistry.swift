package import JSON
import Synchronization

/// The number of definitions of described features that the process has made.
private let editions = Atomic(0)

/// A described feature, and the name of its state in facts.
package struct DeployedFeature: Sendable {
    /// The description.
    package let description: any FeatureDescription
    /// The number of the feature among those of its name, of which each began with no state; from 1.
    package let generation: Int
    /// The migrations of its state, oldest first.
    package let migrations: [StateMigration]

    package init(
        _ description: any FeatureDescription, generation: Int = 1, migrations: [StateMigration] = []
    ) {
        (self.description, self.generation, self.migrations) = (description, generation, migrations)
    }

    /// The end of the names of its variables in facts.
    fileprivate var keySuffix: String { generation == 1 ? "" : "~\(generation)" }
}

extension Registry {
    /// Returns the document of a feature; nil for a feature in Swift.
    package func source(ofFeature name: String) -> JSON? {
        for scope in [Scope.space, .common] {
            let found = catalog.blueprints(in: scope).first { $0.name == name }
            if let definition = found?.definition as? DescribedDefinition { return definition.description.source }
        }
        return nil
    }

    /// Returns a registry of the features of the program and of described ones. A feature of `self` keeps its place, and
    /// its blueprint if neither it nor a feature that it is given has changed. `removedWithRules` are features that had
    /// rules when they were removed.
    ///
    /// Throws if a name is taken or is none, or if features are given one another in a circle.
    package func describing(
        _ features: [DeployedFeature], removedWithRules: Set<String> = []
    ) throws(RegistrationFault) -> Registry {
        var builder = DescribedCatalog(after: self)
        for feature in features.sorted(by: { $0.description.name < $1.description.name }) {
            try builder.place(feature)
        }
        return try builder.registry(removedWithRules)
    }
}

/// The catalog of a registry with described features, while it is made.
private struct DescribedCatalog {
    private let old: Registry
    private var names: RegistryNames
    private var places: [String: FeaturePlace] = [:]
    private var features: [(feature: DeployedFeature, place: FeaturePlace)] = []
    private var blueprints: [Scope: [FeatureBlueprint?]]
    private var underWay: Set<String> = []

    init(after old: Registry) {
        self.old = old
        names = old.programNames
        blueprints = [:]
        for scope in [Scope.space, .common] {
            let ofProgram = old.program.catalog.blueprints(in: scope)
            for (index, blueprint) in ofProgram.enumerated() {
                places[blueprint.name] = FeaturePlace(scope: scope, index: index)
            }
            let count = old.catalog.blueprints(in: scope).count
            blueprints[scope] = ofProgram + Array(repeating: nil, count: count - ofProgram.count)
        }
    }

    /// Gives a feature its place: that which it had, or a new one.
    mutating func place(_ feature: DeployedFeature) throws(RegistrationFault) {
        let (name, scope) = (feature.description.name, feature.description.scope)
        guard Registry.isName(name) else {
            throw RegistrationFault("a feature cannot be called \"\(name)\": \(Registry.naming)")
        }
        guard places[name] == nil else { throw RegistrationFault("two features are called \(name)") }
        let known = old.catalog.blueprints(in: scope).firstIndex { $0.name == name }
        let index = known ?? blueprints[scope]?.count ?? 0
        if known == nil { blueprints[scope]?.append(nil) }
        let place = FeaturePlace(scope: scope, index: index)
        places[name] = place
        features.append((feature, place))
    }

    mutating func registry(_ removedWithRules: Set<String>) throws(RegistrationFault) -> Registry {
        for (feature, place) in features { try make(feature, at: place) }
        for (feature, place) in features {
            let described = Feature(
                feature.description.name, in: place.scope, DescribedDefinition(feature.description))
            guard let blueprint = blueprints[place.scope]?[place.index] else { continue }
            try names.add(blueprint, try outline(of: described), at: place)
        }
        return Registry(
            FeatureCatalog(
                ofSpaces: filled(.space), ofCommon: filled(.common), removedWithRules: removedWithRules), names,
            beside: old.program)
    }

    /// The blueprints of a scope. A place without a feature has the name of the one that it had.
    private func filled(_ scope: Scope) -> [FeatureBlueprint] {
        let known = old.catalog.blueprints(in: scope)
        return (blueprints[scope] ?? []).enumerated().map { index, blueprint in
            if let blueprint { return blueprint }
            if known[index].isVacant { return known[index] }
            return FeatureBlueprint(
                Feature(known[index].name, in: scope, VacantDefinition()), given: [], FeatureOutline(),
                edition: Self.nextEdition())
        }
    }

    private static func nextEdition() -> Int { editions.add(1, ordering: .relaxed).newValue }

    private func outline(of feature: Feature) throws(RegistrationFault) -> FeatureOutline {
        try feature.definition.outline(of: feature, given: [], FeatureSet(old.program.catalog).views)
    }

    /// Makes the blueprint of a feature, after those of the features that it is given.
    private mutating func make(_ feature: DeployedFeature, at place: FeaturePlace) throws(RegistrationFault) {
        guard blueprints[place.scope]?[place.index] == nil else { return }
        let description = feature.description
        let name = description.name
        guard underWay.insert(name).inserted else {
            throw RegistrationFault("\(name) is given itself by way of the features that it is given")
        }
        var given: [FeaturePlace] = []
        for other in description.given {
            guard let place = places[other], place.scope == .common || description.scope == .space else {
                throw RegistrationFault(
                    "\(name) is given \(other), which is no feature that it can see: a feature in common sees only what is in common"
                )
            }
            if let first = features.first(where: { $0.place == place }) { try make(first.feature, at: first.place) }
            given.append(place)
        }
        underWay.remove(name)
        let described = Feature(name, in: place.scope, DescribedDefinition(description, feature.migrations))
        if let kept = kept(feature, at: place, given) {
            blueprints[place.scope]?[place.index] = kept
            return
        }
        let made = FeatureBlueprint(
            described, given: given, try outline(of: described), edition: Self.nextEdition(),
            keySuffix: feature.keySuffix)
        blueprints[place.scope]?[place.index] = made
    }

    /// The blueprint that a feature had, if nothing has changed.
    private func kept(_ feature: DeployedFeature, at place: FeaturePlace, _ given: [FeaturePlace]) -> FeatureBlueprint?
    {
        let known = old.catalog.blueprints(in: place.scope)
        guard place.index < known.count, case let blueprint = known[place.index],
            let definition = blueprint.definition as? DescribedDefinition,
            definition.description === feature.description, blueprint.given == given,
            blueprint.level == feature.migrations.last?.edition ?? 0,
            blueprint.variables.allSatisfy({ $0.key == $0.name + feature.keySuffix })
        else { return nil }
        let isSame = given.allSatisfy { place in
            let olds = old.catalog.blueprints(in: place.scope)
            return place.index < olds.count && olds[place.index] === blueprints[place.scope]?[place.index]
        }
        return isSame ? blueprint : nil
    }
}

extension Registry {
    /// The ways to the rows that a feature reads; none for a feature in Swift, nil if there is no such feature.
    package func plan(of name: String) -> [JSON]? {
        guard let blueprint = blueprint(of: name) else { return nil }
        return (blueprint.definition as? DescribedDefinition)?.description.plan ?? []
    }

    /// The part of a document that clients need to perform its actions over a replica; nil without one.
    package func client(of name: String) -> JSON? {
        (blueprint(of: name)?.definition as? DescribedDefinition)?.description.client
    }

    private func blueprint(of name: String) -> FeatureBlueprint? {
        [Scope.space, .common].flatMap { catalog.blueprints(in: $0) }.first { $0.name == name && !$0.isVacant }
    }
}
