public import JSON

/// A space of a server: its views and its actions.
public struct ClientSpace: Sendable {
    /// The client.
    public let client: HeadwaterClient
    /// The name of the space.
    public let name: String

    /// The values of a view: the last kept one at once, then each newer one. A consumer that is slow gets the newest value.
    /// A view that the server refuses gives no values until it is shown again.
    public func values<Value>(of view: ViewName<Value>) -> AsyncCompactMapSequence<AsyncStream<Shown<Value>>, Value> {
        let newer = NewerValues()
        return updates(of: view).compactMap { newer.next($0) }
    }

    /// The values of a view with their phases.
    public func updates<Value>(of view: ViewName<Value>) -> AsyncStream<Shown<Value>> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let revisions = ValueRevisions()
            let watching = client.watch(view.address(in: name)) { shown in
                continuation.yield(Shown(shown, view, revision: revisions.revision(of: shown.value)))
                return nil
            }
            continuation.onTermination = { _ in withExtendedLifetime(watching) {} }
        }
    }

    /// The values of a view without a type.
    public func values(
        of view: String, _ parameters: [(String, String)] = []
    ) -> AsyncCompactMapSequence<
        AsyncStream<Shown<JSON>>, JSON
    > {
        values(of: ViewName<JSON>(view, parameters))
    }

    /// A value for a screen, which follows the view as long as the value lives.
    @MainActor public func live<Value>(_ view: ViewName<Value>) -> LiveValue<Value> {
        let value = LiveValue<Value>()
        value.hold(
            client.watch(view.address(in: name)) { [weak value] shown in
                let next = Shown(shown, view)
                return { value?.take(next) }
            })
        return value
    }

    /// A value without a type for a screen.
    @MainActor public func live(_ view: String, _ parameters: [(String, String)] = []) -> LiveValue<JSON> {
        live(ViewName<JSON>(view, parameters))
    }

    /// Performs an action. Throws only if the input cannot be written as JSON.
    @discardableResult
    public func perform<Input, Output>(_ action: ActionName<Input, Output>, _ input: Input) throws -> Performed<Output>
    {
        client.perform(
            space: name, action.name, try action.write(input), document: action.document, action.read)
    }

    /// Performs an action without parameters.
    @discardableResult
    public func perform<Output>(_ action: ActionName<EmptyInput, Output>) throws -> Performed<Output> {
        try perform(action, EmptyInput())
    }

    /// Performs an action without types.
    @discardableResult
    public func perform(_ action: String, _ input: JSON = [:]) -> Performed<JSON> {
        client.perform(space: name, action, input.bytes) { $0 }
    }

    /// Is present in a table of a feature, like `room.here`, with a key and a row, as long as the result lives. The server
    /// removes the row when the connection ends.
    public func presence(
        _ table: String, as key: String? = nil, with row: JSON = [:],
        refused: @escaping @Sendable (ServerProblem) -> Void = { _ in }
    ) -> HeldPresence {
        var members: JSON.Object = JSON.Object()
        if let key { members["as"] = .string(key) }
        members["with"] = row
        let address = ViewAddress(space: name, view: table)
        return HeldPresence(watching: client.present(address.description, .object(members), refused))
    }
}

/// The presence of this client in a table. It ends with this object.
public final class HeldPresence: Sendable {
    private let watching: Watching

    init(watching: Watching) {
        self.watching = watching
    }
}
