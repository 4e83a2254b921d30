public import JSON
import Reactive
public import StateModel

/// A space of a server through one feature, whose actions and views are the properties of the feature's own types.
///
///     let sale = client.space("main", of: auction)
///     let bid = sale.perform(\.bid, Bid(lot: "guitar", amount: 120))
///     for await lots in sale.values(of: \.open) { show(lots) }
///
/// The compiler checks names, inputs, parameters and values. A record of an input is checked on the server.
public struct FeatureSpace<State, Service: StateService, Model: ViewModel>: FeatureAccess {
    /// The space.
    public let space: ClientSpace
    /// The feature.
    public let model: FeatureModel<State, Service, Model>

    // MARK: Views

    /// The name of a view, for what takes names.
    public func name<View: ClientView>(of view: KeyPath<Model, View>) -> ViewName<View.Received>
    where View.Parameters == NoInput, View.Received: Sendable { name(view, []) }

    /// The name of a view for some parameters.
    public func name<View: ClientView>(
        of view: KeyPath<Model, View>, _ parameters: View.Parameters
    ) -> ViewName<View.Received> where View.Received: Sendable { name(view, Self.query(of: parameters)) }

    /// The values of a view for some parameters, with their phases.
    public func updates<View: ClientView>(
        of view: KeyPath<Model, View>, _ parameters: View.Parameters
    ) -> AsyncStream<Shown<View.Received>> where View.Received: Sendable {
        space.updates(of: name(of: view, parameters))
    }

    /// A value for a screen, of a view for some parameters.
    @MainActor public func live<View: ClientView>(
        _ view: KeyPath<Model, View>, _ parameters: View.Parameters
    ) -> LiveValue<View.Received> where View.Received: Sendable { space.live(name(of: view, parameters)) }

    // MARK: Names and bytes

    private func name<Value: JSONReadable & Sendable>(
        _ view: PartialKeyPath<Model>, _ parameters: [(String, String)]
    ) -> ViewName<Value> {
        // The server says that it has no view of a name that is none.
        ViewName(model.view(at: view) ?? "\(model.name).\(view)", parameters)
    }

    /// The parameters as a query has them.
    private static func query(of parameters: some Record) -> [(String, String)] {
        guard case .object(let members)? = try? parameters.tree() else { return [] }
        return members.compactMap { member in
            switch member.value {
            case .string(let text): (member.key, text)
            case .number(let number): (member.key, "\(number)")
            case .bool(let truth): (member.key, "\(truth)")
            default: nil
            }
        }
    }

    /// Performs the action at a key path, whose answer `read` reads.
    public func perform<Output: Sendable>(
        at action: PartialKeyPath<Service>, _ input: some Record, _ read: @escaping @Sendable (JSON) throws -> Output
    ) -> Performed<Output> {
        guard let name = model.action(at: action) else {
            return space.client.refused(.noAction(action, of: model.name), read)
        }
        do throws(JSONError) {
            return space.client.perform(space: space.name, name, try input.json(), read)
        } catch {
            return space.client.refused(.unwritable(error), read)
        }
    }
}

extension HeadwaterClient {
    /// A space of the server through one feature.
    public func space<State, Service, Model>(
        _ name: String, of model: FeatureModel<State, Service, Model>
    ) -> FeatureSpace<State, Service, Model> { FeatureSpace(space: space(name), model: model) }
}

/// Reads the value that an action answered.
func readAnswer<Output: JSONReadable>(_ json: JSON) throws -> Output {
    try Output(parsing: json.bytes, depth: JSONReader.greatestDepthLimit)
}

extension ServerProblem {
    static func noAction(_ path: AnyKeyPath, of feature: String) -> ServerProblem {
        ServerProblem(.noSuchAction, "\(path) is no action that \(feature) stores")
    }

    static func unwritable(_ error: JSONError) -> ServerProblem {
        ServerProblem(
            .invalid, "the input cannot be written as JSON: \(error.reason)",
            at: error.pointer.tokens.isEmpty ? nil : "\(error.pointer)")
    }
}
