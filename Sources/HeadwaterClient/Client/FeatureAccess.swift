public import JSON
public import StateModel

/// A space through one feature, on the server (`FeatureSpace`) or at once on this device (`LocalSpace`). A screen that takes
/// any of both needs no line for the network:
///
///     struct SaleModel {
///         let sale: any FeatureAccess<AuctionService, AuctionViewModel>
///
///         func bid(_ amount: Int) { sale.perform(\.bid, Bid(lot: "guitar", amount: amount)) }
///     }
public protocol FeatureAccess<Service, Model>: Sendable {
    /// The actions, as stored properties.
    associatedtype Service: StateService
    /// The views, as stored properties.
    associatedtype Model: ViewModel

    /// The values of a view for some parameters, with their phases.
    func updates<View: ClientView>(
        of view: KeyPath<Model, View>, _ parameters: View.Parameters
    ) -> AsyncStream<Shown<View.Received>> where View.Received: Sendable

    /// A value for a screen, of a view for some parameters. It follows the view as long as the value lives.
    @MainActor func live<View: ClientView>(
        _ view: KeyPath<Model, View>, _ parameters: View.Parameters
    ) -> LiveValue<View.Received> where View.Received: Sendable

    /// Performs the action at a key path, whose answer `read` reads. The other methods call this one.
    func perform<Output: Sendable>(
        at action: PartialKeyPath<Service>, _ input: some Record, _ read: @escaping @Sendable (JSON) throws -> Output
    ) -> Performed<Output>
}

extension FeatureAccess {
    /// The values of a view with their phases.
    public func updates<View: ClientView>(of view: KeyPath<Model, View>) -> AsyncStream<Shown<View.Received>>
    where View.Parameters == NoInput, View.Received: Sendable { updates(of: view, NoInput()) }

    /// The values of a view: the last kept one at once, then each newer one. A consumer that is slow gets the newest value.
    public func values<View: ClientView>(
        of view: KeyPath<Model, View>
    ) -> AsyncCompactMapSequence<AsyncStream<Shown<View.Received>>, View.Received>
    where View.Parameters == NoInput, View.Received: Sendable { values(of: view, NoInput()) }

    /// The values of a view for some parameters.
    public func values<View: ClientView>(
        of view: KeyPath<Model, View>, _ parameters: View.Parameters
    ) -> AsyncCompactMapSequence<AsyncStream<Shown<View.Received>>, View.Received> where View.Received: Sendable {
        let newer = NewerValues()
        return updates(of: view, parameters).compactMap { newer.next($0) }
    }

    /// A value for a screen, which follows the view as long as the value lives.
    @MainActor public func live<View: ClientView>(_ view: KeyPath<Model, View>) -> LiveValue<View.Received>
    where View.Parameters == NoInput, View.Received: Sendable { live(view, NoInput()) }

    /// Performs an action.
    @discardableResult
    public func perform<Input>(_ action: KeyPath<Service, Action<Input>>, _ input: Input) -> Performed<Void> {
        perform(at: action, input) { _ in }
    }

    /// Performs an action without parameters.
    @discardableResult
    public func perform(_ action: KeyPath<Service, Action<NoInput>>) -> Performed<Void> {
        perform(at: action, NoInput()) { _ in }
    }

    /// Performs an action that answers a value, for which `result` of the returned object waits.
    @discardableResult
    public func perform<Input, Output: JSONReadable & Sendable>(
        _ action: KeyPath<Service, AnsweringAction<Input, Output>>, _ input: Input
    ) -> Performed<Output> { perform(at: action, input, readAnswer) }

    /// Performs an action without parameters that answers a value.
    @discardableResult
    public func perform<Output: JSONReadable & Sendable>(
        _ action: KeyPath<Service, AnsweringAction<NoInput, Output>>
    ) -> Performed<Output> { perform(at: action, NoInput(), readAnswer) }
}
