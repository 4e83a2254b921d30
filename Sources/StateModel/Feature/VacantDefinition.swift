/// The definition at the place of a feature that is not there now.
final class VacantDefinition: FeatureDefinition {
    func outline(
        of feature: Feature, given: [FeatureInstance], _ views: SpaceViews
    ) throws(RegistrationFault) -> FeatureOutline {
        FeatureOutline()
    }

    func instance(
        of blueprint: FeatureBlueprint, given: [FeatureInstance], in space: FeatureSurroundings,
        replacing old: FeatureInstance?
    ) -> FeatureInstance {
        VacantFeature(blueprint, variables: [])
    }
}

/// No feature: nothing is stored, done or shown.
private final class VacantFeature: FeatureInstance {
    override func makeActions() -> [ActionClosures] { [] }
    override func makeViews() -> FeatureViews { FeatureViews([]) }
    override func makeEffects(_ outside: Outside) -> (any Effects)? { nil }
}
