/// The code of a feature, whatever its types: it makes the feature in a space.
protocol FeatureDefinition: Sendable {
    /// True if it derives from views that it chooses at run time.
    var derivesFromViews: Bool { get }
    /// Returns the time up to which every space has had an alarm of a recurring schedule, if it began them before
    /// `time`; nil if no schedule recurs.
    func latestAlarm(after time: Timestamp) -> Timestamp?
    /// The names of stored state that its documents give to others, or drop, in the order of their editions.
    var moves: [StateMove] { get }
    /// The names of tables whose rows its documents made others from.
    var sources: [StateMove] { get }

    /// Returns the parts of the feature, or the reason that it cannot be registered.
    func outline(
        of feature: Feature, given: [FeatureInstance], _ views: SpaceViews
    ) throws(RegistrationFault) -> FeatureOutline

    /// Makes the feature in one space. `given` are the features whose state it reads, in the same space or in `common`.
    /// The state of `old`, which an older definition has made, lives on.
    func instance(
        of blueprint: FeatureBlueprint, given: [FeatureInstance], in space: FeatureSurroundings,
        replacing old: FeatureInstance?
    ) -> FeatureInstance
}

extension FeatureDefinition {
    /// None: stored state keeps its names.
    var moves: [StateMove] { [] }
    /// None: no rows are made from others.
    var sources: [StateMove] { [] }
}

/// The name of stored state that a document gives another name, or drops.
struct StateMove {
    let edition: Int
    let from: String
    /// The new name; nil if the state is dropped.
    let to: String?
}

/// The surroundings of a feature in one space.
struct FeatureSurroundings {
    private unowned let features: FeatureSet

    init(of features: FeatureSet) {
        self.features = features
    }

    /// The name of the space.
    var name: SpaceName { features.name }
    /// All views of the space, which are made at the first use.
    var views: SpaceViews { features.views }
    /// The time that views read.
    var clock: SpaceClock { features.clock }
}

/// One of each part of a feature, for reflection.
struct FeatureExemplar {
    let state: Any
    let stateLayout: PropertyLayout<any PersistentState>
    let indexLayout: PropertyLayout<any StateIndexing>
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

extension FeatureDefinition {
    var derivesFromViews: Bool { false }
    func latestAlarm(after time: Timestamp) -> Timestamp? { nil }
}

extension TypedDefinition: FeatureDefinition {
    var derivesFromViews: Bool { Given.self == SpaceViews.self }

    func outline(
        of feature: Feature, given instances: [FeatureInstance], _ views: SpaceViews
    ) throws(RegistrationFault) -> FeatureOutline {
        let state = makeState()
        let given = given(instances.first) { views }
        // Effects made here are never run.
        let operators = NamedOperators(of: feature.name, dependsOnCommon: true)
        let model = NamedOperators.collect(into: operators) { viewModel(state, given) }
        let exemplar = FeatureExemplar(
            state: state, stateLayout: PropertyLayout(ofState: state), indexLayout: PropertyLayout(ofIndexesIn: state),
            service: service(state, given),
            viewModel: model, effects: effects?(state, given, Outside(of: feature.name)))
        return try FeatureOutline(exemplar, operators, of: feature)
    }

    func instance(
        of blueprint: FeatureBlueprint, given instances: [FeatureInstance], in space: FeatureSurroundings,
        replacing old: FeatureInstance?
    ) -> FeatureInstance {
        TypedFeature(self, blueprint, makeState(), given(instances.first) { space.views })
    }
}

/// A feature in one space whose state has a certain type.
class StatefulFeature<State>: FeatureInstance {
    let state: State
    private let indexes: [any StateIndexing]

    init(_ blueprint: FeatureBlueprint, _ state: State) {
        self.state = state
        indexes = blueprint.layouts.indexes.labels.isEmpty ? [] : blueprint.layouts.indexes.read(state)
        super.init(blueprint, variables: blueprint.layouts.state.read(state))
    }

    override var actionIndexes: [any SlicedIndex] { indexes.map(\.follower) }

    override var indexBytes: Int { indexes.reduce(0) { $0 + $1.bytes } }

    override func checkIndexes(checksRows: Bool) throws(Rejection) {
        for (label, index) in zip(blueprint.layouts.indexes.labels, indexes) {
            guard let pair = index.secondRow() else { continue }
            throw .notUnique(
                Rejection.RepeatedGroup(
                    index: label, key: pair.key, other: pair.other,
                    isOpen: !blueprint.hasRules && !blueprint.hasPrivateState))
        }
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
        let service = definition.service(state, given)
        let actions = blueprint.layouts.actions.read(service)
        guard blueprint.hasRules, let rule = blueprint.layouts.actRule.read(service).first else { return actions }
        return rule.guarding(actions, of: name)
    }

    override func makeActRule() -> ActRule? {
        blueprint.layouts.actRule.read(definition.service(state, given)).first
    }

    override func makeViews() -> FeatureViews {
        let model = definition.viewModel(state, given)
        let replica = (state as? any ReplicatedState)?.replicaView(of: name)
        return FeatureViews(
            blueprint.layouts.views.read(model) + (replica.map { [$0] } ?? []),
            open: blueprint.isOpen ? model as? any OpenViewModel : nil,
            rule: blueprint.readRule == nil ? nil : blueprint.layouts.readRule.read(model).first)
    }

    override func makeEffects(_ outside: Outside) -> (any Effects)? { definition.effects?(state, given, outside) }
}
