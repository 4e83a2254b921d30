/// A registered feature: its state, the service that changes it, the view model that shows it, and its effects, if any.
///
///     Feature("user", UserState.init, UserService.init, UserViewModel.init)
public struct Feature: Sendable {
    /// The name, which begins the paths of the actions and views.
    public let name: String
    let scope: Scope
    /// The type of its state; nil for a described feature.
    let state: TypeName?
    /// The type of the state of another feature that it reads; nil if it reads none.
    let given: TypeName?
    let definition: any FeatureDefinition
    /// True for a feature of the server itself, which has a reserved name.
    private(set) var isOfServer = false
    /// True if its actions need the right `define` in place of `act`.
    package var defines = false
    /// True if clients without the right `admin` learn only the heads of its commits, as if it had rules.
    package var hidesCommits = false

    /// A type, and its name for messages.
    struct TypeName: Sendable {
        let id: ObjectIdentifier
        let name: String

        init(_ type: Any.Type) {
            id = ObjectIdentifier(type)
            name = "\(type)"
        }
    }

    /// A feature with a definition of its own.
    init(_ name: String, in scope: Scope, _ definition: any FeatureDefinition) {
        self.name = name
        self.scope = scope
        self.definition = definition
        state = nil
        given = nil
    }

    /// The same feature as one of the server itself.
    package var ofServer: Feature {
        var feature = self
        feature.isOfServer = true
        return feature
    }

    /// A feature that reads no other.
    public init<State, Service: StateService, Model: ViewModel>(
        _ name: String, in scope: Scope = .space, _ state: @escaping @Sendable () -> State,
        _ service: @escaping @Sendable (State) -> Service, _ viewModel: @escaping @Sendable (State) -> Model,
        effects: (@Sendable (State, Outside) -> any Effects)? = nil
    ) {
        self.name = name
        self.scope = scope
        self.state = TypeName(State.self)
        given = nil
        var effectsOfVoid: ((State, Void, Outside) -> any Effects)?
        if let effects { effectsOfVoid = { state, _, outside in effects(state, outside) } }
        definition = TypedDefinition<State, Void, Service, Model>(
            state, given: { _, _ in () }, service: { state, _ in service(state) },
            viewModel: { state, _ in viewModel(state) }, effects: effectsOfVoid)
    }

    /// A feature that reads the state of another, registered before it.
    public init<State, Other, Service: StateService, Model: ViewModel>(
        _ name: String, in scope: Scope = .space, given other: Other.Type, _ state: @escaping @Sendable () -> State,
        _ service: @escaping @Sendable (State, ReadOnly<Other>) -> Service,
        _ viewModel: @escaping @Sendable (State, ReadOnly<Other>) -> Model,
        effects: (@Sendable (State, ReadOnly<Other>, Outside) -> any Effects)? = nil
    ) {
        self.name = name
        self.scope = scope
        self.state = TypeName(State.self)
        given = TypeName(Other.self)
        definition = TypedDefinition<State, ReadOnly<Other>, Service, Model>(
            state,
            given: { instance, _ in
                // The registry has resolved the type.
                guard let instance = instance as? StatefulFeature<Other> else {
                    preconditionFailure("\(name) is given a feature of another state")
                }
                return ReadOnly(instance.state)
            }, service: service, viewModel: viewModel, effects: effects)
    }

    /// A feature that derives from views of the space that it chooses at run time.
    package init<State, Service: StateService, Model: ViewModel>(
        _ name: String, in scope: Scope = .space, state: @escaping @Sendable () -> State,
        service: @escaping @Sendable (State, SpaceViews) -> Service,
        viewModel: @escaping @Sendable (State, SpaceViews) -> Model
    ) {
        self.name = name
        self.scope = scope
        self.state = TypeName(State.self)
        given = nil
        definition = TypedDefinition<State, SpaceViews, Service, Model>(
            state, given: { _, views in views() }, service: service, viewModel: viewModel)
    }
}

extension Feature: CustomStringConvertible, CustomReflectable {
    /// `feature board`, or `feature rates in common`.
    public var description: String { scope == .common ? "feature \(name) in common" : "feature \(name)" }

    /// The name and the scope: the code behind them is not walked.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "scope": scope], displayStyle: .struct)
    }
}

/// A fault in the registration of features.
public struct RegistrationFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault, and what to do.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
