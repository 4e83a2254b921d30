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
        described(name)?.source
    }

    /// Returns a registry of the features of the program and of described ones. A feature of `self` keeps its place, and
    /// its blueprint if neither it nor a feature that it is given has changed. `removedWithRules` are features that had
    /// rules when they were removed.
    ///
    /// Throws if a name is taken or is none, or if features are given one another in a circle.
    package func describing(
        _ features: [DeployedFeature], removedWithRules: Set<String> = []
    ) throws(RegistrationFault) -> Registry {
        var catalog = try DescribedCatalog(features, after: self)
        return try catalog.registry(removedWithRules)
    }
}

/// The catalog of a registry with described features, while it is made. What has not changed costs a look.
private struct DescribedCatalog {
    private let old: Registry
    /// The described features by name.
    private let features: [String: DeployedFeature]
    private var places: [String: FeaturePlace]
    private var ofSpaces: [FeatureBlueprint?]
    private var ofCommon: [FeatureBlueprint?]
    private var underWay: Set<String> = []

    init(_ features: [DeployedFeature], after old: Registry) throws(RegistrationFault) {
        self.old = old
        var byName: [String: DeployedFeature] = [:]
        byName.reserveCapacity(features.count)
        for feature in features {
            let name = feature.description.name
            guard Registry.isName(name) else {
                throw RegistrationFault("a feature cannot be called \"\(name)\": \(Registry.naming)")
            }
            guard byName.updateValue(feature, forKey: name) == nil, !old.isOfProgram(name) else {
                throw RegistrationFault("two features are called \(name)")
            }
        }
        self.features = byName
        places = Dictionary(old.program.ordered.map { ($0.name, $0.place) }) { first, _ in first }
        places.reserveCapacity(places.count + byName.count)
        let program = old.program.catalog
        (ofSpaces, ofCommon) = (program.blueprints(in: .space), program.blueprints(in: .common))
        for scope in [Scope.space, .common] {
            let count = old.catalog.blueprints(in: scope).count - program.blueprints(in: scope).count
            self[scope] += Array(repeating: nil, count: count)
        }
    }

    private subscript(scope: Scope) -> [FeatureBlueprint?] {
        get { scope == .space ? ofSpaces : ofCommon }
        _modify { if scope == .space { yield &ofSpaces } else { yield &ofCommon } }
    }

    /// Gives a feature its place: that which it had, or a new one.
    private mutating func place(_ name: String, _ feature: DeployedFeature) {
        let scope = feature.description.scope
        let known = old.catalog.place(of: name, in: scope)
        places[name] = known ?? FeaturePlace(scope: scope, index: self[scope].count)
        if known == nil { self[scope].append(nil) }
    }

    mutating func registry(_ removedWithRules: Set<String>) throws(RegistrationFault) -> Registry {
        let names = features.keys.sorted()
        for name in names { features[name].map { place(name, $0) } }
        var described: [FeatureBlueprint] = []
        for name in names { if let blueprint = try make(name) { described.append(blueprint) } }
        let catalog = FeatureCatalog(
            ofSpaces: filled(.space), ofCommon: filled(.common), removedWithRules: removedWithRules,
            after: old.catalog)
        return Registry(catalog, described: described, beside: old.program)
    }

    /// The blueprints of a scope. A place without a feature has the name of the one that it had.
    private func filled(_ scope: Scope) -> [FeatureBlueprint] {
        let known = old.catalog.blueprints(in: scope)
        return self[scope].enumerated().map { index, blueprint in
            if let blueprint { return blueprint }
            if known[index].isVacant { return known[index] }
            return FeatureBlueprint(
                Feature(known[index].name, in: scope, VacantDefinition()), at: known[index].place, given: [],
                FeatureOutline(), edition: Self.nextEdition())
        }
    }

    private static func nextEdition() -> Int { editions.add(1, ordering: .relaxed).newValue }

    /// The blueprint of a described feature, which is made after those of the features that it is given; nil if there is
    /// no such feature.
    private mutating func make(_ name: String) throws(RegistrationFault) -> FeatureBlueprint? {
        guard let feature = features[name], let place = places[name] else { return nil }
        if let made = self[place.scope][place.index] { return made }
        let description = feature.description
        var given: [FeaturePlace] = []
        if !description.given.isEmpty {
            guard underWay.insert(name).inserted else {
                throw RegistrationFault("\(name) is given itself by way of the features that it is given")
            }
            for other in description.given {
                guard let place = places[other], place.scope == .common || description.scope == .space else {
                    throw RegistrationFault(
                        "\(name) is given \(other), which is no feature that it can see: a feature in common sees only what is in common"
                    )
                }
                _ = try make(other)
                given.append(place)
            }
            underWay.remove(name)
        }
        var blueprint = kept(feature, at: place, given)
        if blueprint == nil { blueprint = try made(feature, at: place, given) }
        self[place.scope][place.index] = blueprint
        return blueprint
    }

    private func made(
        _ feature: DeployedFeature, at place: FeaturePlace, _ given: [FeaturePlace]
    ) throws(RegistrationFault) -> FeatureBlueprint {
        let definition = DescribedDefinition(feature.description, feature.migrations)
        let described = Feature(feature.description.name, in: place.scope, definition)
        let views = FeatureSet(old.program.catalog).views
        return FeatureBlueprint(
            described, at: place, given: given, try definition.outline(of: described, given: [], views),
            edition: Self.nextEdition(), keySuffix: feature.keySuffix)
    }

    /// The blueprint that a feature had, if nothing has changed.
    private func kept(_ feature: DeployedFeature, at place: FeaturePlace, _ given: [FeaturePlace]) -> FeatureBlueprint?
    {
        guard let blueprint = old.catalog.known(at: place),
            let definition = blueprint.definition as? DescribedDefinition,
            definition.description === feature.description, blueprint.given == given,
            blueprint.level == feature.migrations.last?.edition ?? 0, blueprint.keySuffix == feature.keySuffix
        else { return nil }
        return given.allSatisfy { old.catalog.known(at: $0) === self[$0.scope][$0.index] } ? blueprint : nil
    }
}

extension Registry {
    /// The ways to the rows that a feature reads; none for a feature in Swift, nil if there is no such feature.
    package func plan(of name: String) -> [JSON]? {
        has(name) ? described(name)?.plan ?? [] : nil
    }

    /// The part of a document that clients need to perform its actions over a replica; nil without one.
    package func client(of name: String) -> JSON? {
        described(name)?.client
    }

    /// The description of a feature; nil for one in Swift, and if there is none.
    private func described(_ name: String) -> (any FeatureDescription)? {
        (catalog.blueprint(named: name)?.definition as? DescribedDefinition)?.description
    }
}
