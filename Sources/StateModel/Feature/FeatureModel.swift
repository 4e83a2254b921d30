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
    private let scope: Scope
    private let state: @Sendable () -> State
    private let service: @Sendable (State) -> Service
    let viewModel: @Sendable (State) -> Model
    /// The names of the stored properties of the service and of the view model, by their offsets.
    private let actions: [Int: String]
    private let views: [Int: String]

    /// A feature that reads no other.
    public init(
        _ name: String, in scope: Scope = .space, _ state: @escaping @Sendable () -> State,
        _ service: @escaping @Sendable (State) -> Service, _ viewModel: @escaping @Sendable (State) -> Model
    ) {
        (self.name, self.scope) = (name, scope)
        (self.state, self.service, self.viewModel) = (state, service, viewModel)
        let exemplar = state()
        actions = Self.names(in: service(exemplar))
        views = Self.names(in: viewModel(exemplar))
    }

    /// The feature as a server registers it, with its effects.
    public func feature(effects: (@Sendable (State, Outside) -> any Effects)? = nil) -> Feature {
        Feature(name, in: scope, state, service, viewModel, effects: effects)
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
