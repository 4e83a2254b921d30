import Ground
import Reactive

// Views for consumers in this process, as trees or as typed values, without JSON text in between.

extension Store {
    /// Watches views like `watch`, with frames whose trees come from the values themselves.
    package func watchTrees(
        _ views: [String], in name: SpaceName, _ receive: @escaping (Result<ViewFrames, Refusal>) -> Void
    ) -> Watch {
        watch(views, in: name, wantsTrees: true, receive)
    }

    /// Reads the current value of a view of a space, once it is durable. Precondition: the view does not belong to
    /// `common`.
    ///
    /// `.noSuchView` is the answer if the view delivers no values of this type.
    package func value<Value>(
        of view: String, as type: Value.Type, in name: SpaceName, _ reply: @escaping (Result<Value, Refusal>) -> Void
    ) {
        use(name) { [self] space in value(of: view, in: space, reply) }
    }

    private func value<Value>(
        of view: String, in space: Space, _ reply: @escaping (Result<Value, Refusal>) -> Void
    ) {
        space.whenHere { [self] failure in
            if let failure { return reply(.failure(.journal(failure))) }
            let space = content(of: space)
            guard let observable = space.features.view(view) as? Observable<Value> else {
                return reply(.failure(.noSuchView(view)))
            }
            var value: Value?
            observable.watch(in: graph) { value = $0 }.cancel()
            guard let value else { return reply(.failure(.noSuchView(view))) }
            space.whenDurable { isKept in
                if isKept { reply(.success(value)) } else { self.value(of: view, in: space, reply) }
            }
        }
    }
}

extension Store {
    /// Performs an action in any space. The answer arrives on this store's executor.
    package func performAnywhere(
        _ call: Call, in space: SpaceName, _ reply: @escaping (Result<Answer, Refusal>) -> Void
    ) {
        context.perform(call, in: space, reply)
    }
}
