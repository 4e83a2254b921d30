/// The code of a feature, whatever its types: it makes the feature in a space.
protocol FeatureDefinition: Sendable {
    /// True if it derives from views that it chooses at run time.
    var derivesFromViews: Bool { get }

    /// Makes one of each part, for reflection. Effects made here are never run.
    func exemplar(of feature: String, given: FeatureInstance?, _ views: SpaceViews) -> FeatureExemplar

    /// Makes the feature in one space. `given` is the feature whose state it reads, in the same space or in `common`.
    func instance(
        of blueprint: FeatureBlueprint, given: FeatureInstance?, _ views: @autoclosure () -> SpaceViews
    ) -> FeatureInstance
}

/// One of each part of a feature.
struct FeatureExemplar {
    let state: Any
    let stateLayout: PropertyLayout<any PersistentState>
    let service: any StateService
    let viewModel: any ViewModel
    let effects: (any Effects)?
}

/// The code of a feature of certain types. `Given` is what its service and its view model receive beside the state.
final class TypedDefinition<State, Given, Service: StateService, Model: ViewModel>: @unchecked Sendable {
    // Sendable because its closures call those of a `Feature` and nothing else, and these are.
    private let makeState: () -> State
    private let given: (FeatureInstance?, () -> SpaceViews) -> Given
    fileprivate let service: (State, Given) -> Service
    fileprivate let viewModel: (State, Given) -> Model
    fileprivate let effects: ((State, Given, Outside) -> any Effects)?

    init(
        _ state: @escaping () -> State, given: @escaping (FeatureInstance?, () -> SpaceViews) -> Given,
        service: @escaping (State, Given) -> Service, viewModel: @escaping (State, Given) -> Model,
        effects: ((State, Given, Outside) -> any Effects)? = nil
    ) {
        makeState = state
        self.given = given
        self.service = service
        self.viewModel = viewModel
        self.effects = effects
    }
}

extension TypedDefinition: FeatureDefinition {
    var derivesFromViews: Bool { Given.self == SpaceViews.self }

    func exemplar(of feature: String, given instance: FeatureInstance?, _ views: SpaceViews) -> FeatureExemplar {
        let state = makeState()
        let given = given(instance) { views }
        return FeatureExemplar(
            state: state, stateLayout: PropertyLayout(ofState: state), service: service(state, given),
            viewModel: viewModel(state, given),
            effects: effects?(state, given, Outside(of: feature)))
    }

    func instance(
        of blueprint: FeatureBlueprint, given instance: FeatureInstance?, _ views: @autoclosure () -> SpaceViews
    ) -> FeatureInstance {
        TypedFeature(self, blueprint, makeState(), given(instance, views))
    }
}

/// A feature in one space whose state has a certain type.
class StatefulFeature<State>: FeatureInstance {
    let state: State

    init(_ blueprint: FeatureBlueprint, _ state: State) {
        self.state = state
        super.init(blueprint, variables: blueprint.layouts.state.read(state))
    }
}

/// A feature in one space whose parts have certain types.
final class TypedFeature<State, Given, Service: StateService, Model: ViewModel>: StatefulFeature<State> {
    private let definition: TypedDefinition<State, Given, Service, Model>
    private let given: Given

    init(
        _ definition: TypedDefinition<State, Given, Service, Model>, _ blueprint: FeatureBlueprint, _ state: State,
        _ given: Given
    ) {
        self.definition = definition
        self.given = given
        super.init(blueprint, state)
    }

    override func makeService() -> any StateService { definition.service(state, given) }

    // The closures of the actions retain what they use, so the service itself is not stored.
    override func makeActions() -> [ActionClosures] {
        blueprint.layouts.actions.read(definition.service(state, given))
    }

    override func makeViews() -> ([any StoredView], (any OpenViewModel)?) {
        let model = definition.viewModel(state, given)
        return (blueprint.layouts.views.read(model), blueprint.isOpen ? model as? any OpenViewModel : nil)
    }

    override func makeEffects(_ outside: Outside) -> (any Effects)? { definition.effects?(state, given, outside) }
}
