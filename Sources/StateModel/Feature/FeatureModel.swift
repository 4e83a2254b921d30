/// A feature with the types of its state, its service and its view model: one declaration for the server, for clients and
/// for tests. It needs no server, so a module for apps can hold it.
///
///     public let auction = FeatureModel(
///         "auction", AuctionState.init, AuctionService.init, AuctionViewModel.init)
///
/// A server registers `auction.feature()`, with its effects. A client performs actions and reads views by the properties:
/// `client.space("main", of: auction).perform(\.bid, bid)`.
public struct FeatureModel<State, Service: StateService, Model: ViewModel>: Sendable {
    /// The name, which begins the paths of the actions and views.
    public let name: String
    let state: @Sendable () -> State
    /// The feature with effects; the closure that makes it knows the state that the feature reads.
    private let make: @Sendable ((@Sendable (State, Outside) -> any Effects)?) -> Feature
    /// The view model; nil if it needs the state of another feature.
    private let viewModel: (@Sendable (State) -> Model)?
    /// The names of the stored properties of the service and of the view model, by their offsets.
    private let actions: [Int: String]
    private let views: [Int: String]

    /// A feature that reads no other.
    public init(
        _ name: String, in scope: Scope = .space, _ state: @escaping @Sendable () -> State,
        _ service: @escaping @Sendable (State) -> Service, _ viewModel: @escaping @Sendable (State) -> Model
    ) {
        (self.name, self.state, self.viewModel) = (name, state, viewModel)
        make = { Feature(name, in: scope, state, service, viewModel, effects: $0) }
        let exemplar = state()
        actions = Self.names(in: service(exemplar))
        views = Self.names(in: viewModel(exemplar))
    }

    /// A feature that reads the state of another, which is registered before it. It runs on servers and in previews; clients
    /// name its actions and views, and do not run it.
    ///
    ///     public let cart = FeatureModel("cart", given: catalog, CartState.init, CartService.init, CartViewModel.init)
    public init<Other, OtherService, OtherModel>(
        _ name: String, in scope: Scope = .space, given other: FeatureModel<Other, OtherService, OtherModel>,
        _ state: @escaping @Sendable () -> State, _ service: @escaping @Sendable (State, ReadOnly<Other>) -> Service,
        _ viewModel: @escaping @Sendable (State, ReadOnly<Other>) -> Model
    ) {
        (self.name, self.state, self.viewModel) = (name, state, nil)
        make = { effects in
            guard let effects else { return Feature(name, in: scope, given: Other.self, state, service, viewModel) }
            return Feature(name, in: scope, given: Other.self, state, service, viewModel) { state, _, outside in
                effects(state, outside)
            }
        }
        let (exemplar, given) = (state(), ReadOnly(other.state()))
        actions = Self.names(in: service(exemplar, given))
        views = Self.names(in: viewModel(exemplar, given))
    }

    /// The feature as a server registers it, with its effects.
    public func feature(effects: (@Sendable (State, Outside) -> any Effects)? = nil) -> Feature {
        make(effects)
    }

    /// The view model over a replica.
    func localViewModel(_ state: State) throws(RegistrationFault) -> Model {
        guard let viewModel else {
            throw RegistrationFault("\(name) reads the state of another feature, so it does not run in clients")
        }
        return viewModel(state)
    }

    private static func names<Value>(in exemplar: Value) -> [Int: String] {
        let properties = StoredProperty.all(of: exemplar, isVerified: true) ?? []
        return Dictionary(properties.map { ($0.offset, $0.name) }) { _, last in last }
    }

    /// Returns the name of an action, `auction/bid`; nil if the key path is none of a stored property.
    package func action(at path: PartialKeyPath<Service>) -> String? {
        MemoryLayout<Service>.offset(of: path).flatMap { actions[$0] }.map { "\(name)/\($0)" }
    }

    /// Returns the name of a view, `auction.open`; nil if the key path is none of a stored property.
    package func view(at path: PartialKeyPath<Model>) -> String? {
        MemoryLayout<Model>.offset(of: path).flatMap { views[$0] }.map { "\(name).\($0)" }
    }
}
