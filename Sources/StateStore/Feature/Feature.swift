/// A registered feature: its state, the service that changes it, the view model that shows it, and its effects, if any.
///
///     Feature("user", UserState.init, UserService.init, UserViewModel.init)
public struct Feature: Sendable {
    let name: String
    let scope: Scope
    /// Makes the parts of the feature in a space, from its states so far.
    let make: @Sendable (inout States) throws(RegistrationFault) -> Parts

    /// The parts of a feature in one space. All but the state are made when they are needed.
    struct Parts {
        let state: Any
        let makeService: () -> any StateService
        let makeViewModel: () -> any ViewModel
        let makeEffects: (Outside) -> (any Effects)?
    }

    /// The states of a space and of `common`, by type.
    struct States {
        private var byType: [ObjectIdentifier: Any] = [:]
        private var ambiguous: Set<ObjectIdentifier> = []
        /// The views of the space, once its features are made.
        var views = SpaceViews()

        mutating func add<State>(_ state: State) {
            if byType.updateValue(state, forKey: ObjectIdentifier(State.self)) != nil {
                ambiguous.insert(ObjectIdentifier(State.self))
            }
        }

        func given<State>(_ type: State.Type, to feature: String) throws(RegistrationFault) -> ReadOnly<State> {
            guard let state = byType[ObjectIdentifier(type)] as? State else {
                throw RegistrationFault(
                    "\(feature) is given \(type), which belongs to no feature that is registered before it, or to none that it can see: "
                        + "a feature in common sees only what is in common")
            }
            guard !ambiguous.contains(ObjectIdentifier(type)) else {
                throw RegistrationFault(
                    "\(feature) is given \(type), which belongs to several features: give each a type of its own")
            }
            return ReadOnly(state)
        }
    }

    init(_ name: String, in scope: Scope, make: @escaping @Sendable (inout States) throws(RegistrationFault) -> Parts) {
        self.name = name
        self.scope = scope
        self.make = make
    }

    /// A feature that reads no other.
    public init<State, Service: StateService, Model: ViewModel>(
        _ name: String, in scope: Scope = .space, _ state: @escaping @Sendable () -> State,
        _ service: @escaping @Sendable (State) -> Service, _ viewModel: @escaping @Sendable (State) -> Model,
        effects: (@Sendable (State, Outside) -> any Effects)? = nil
    ) {
        self.name = name
        self.scope = scope
        make = { states in
            let state = state()
            states.add(state)
            return Parts(
                state: state, makeService: { service(state) }, makeViewModel: { viewModel(state) },
                makeEffects: { effects?(state, $0) })
        }
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
        make = { states throws(RegistrationFault) in
            let given = try states.given(Other.self, to: name)
            let state = state()
            states.add(state)
            return Parts(
                state: state, makeService: { service(state, given) }, makeViewModel: { viewModel(state, given) },
                makeEffects: { effects?(state, given, $0) })
        }
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
