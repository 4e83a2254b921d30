/// The features that were registered so far.
struct RegisteredFeatures {
    private struct RegisteredFeature {
        let feature: Feature
        let place: FeaturePlace
        let blueprint: FeatureBlueprint
        let instance: FeatureInstance
    }

    private var entries: [RegisteredFeature] = []

    /// The blueprints with their scopes, in the order of registration.
    var blueprints: [(scope: Scope, blueprint: FeatureBlueprint)] {
        entries.map { ($0.feature.scope, $0.blueprint) }
    }

    func contains(_ name: String) -> Bool { entries.contains { $0.feature.name == name } }

    /// The place of the next feature of a scope.
    func nextPlace(in scope: Scope) -> FeaturePlace {
        FeaturePlace(scope: scope, index: entries.count { $0.feature.scope == scope })
    }

    mutating func add(_ feature: Feature, _ blueprint: FeatureBlueprint, _ instance: FeatureInstance) {
        entries.append(
            RegisteredFeature(
                feature: feature, place: nextPlace(in: feature.scope), blueprint: blueprint, instance: instance))
    }

    /// The feature whose state a feature reads; nil if it reads none.
    func given(
        to feature: Feature
    ) throws(RegistrationFault) -> (place: FeaturePlace, instance: FeatureInstance)? {
        guard let type = feature.given else { return nil }
        let visible = entries.filter {
            $0.feature.state?.id == type.id && (feature.scope == .space || $0.feature.scope == .common)
        }
        guard let first = visible.first else {
            throw RegistrationFault(
                "\(feature.name) is given \(type.name), which belongs to no feature that is registered before it, or to none that it can see: "
                    + "a feature in common sees only what is in common")
        }
        guard visible.count == 1 else {
            throw RegistrationFault(
                "\(feature.name) is given \(type.name), which belongs to several features: give each a type of its own")
        }
        return (first.place, first.instance)
    }
}
