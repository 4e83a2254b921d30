import Ground
import Reactive

// Views for consumers in this process, as typed values, without JSON text in between.

extension Store {
    /// Reads the current value of the view of a permit, once it is durable. Preconditions: the permit is for one view,
    /// which does not belong to `common`.
    ///
    /// `.noSuchView` is the answer if the view delivers no values of this type.
    package func value<Value>(
        of permit: ReadPermit, as type: Value.Type, _ reply: @escaping (Result<Value, Refusal>) -> Void
    ) {
        check(permit) { [self] result in
            switch result {
            case .failure(let refusal): reply(.failure(refusal))
            case .success: use(permit.space) { [self] space in value(of: permit.sources[0], in: space, reply) }
            }
        }
    }

    private func value<Value>(
        of view: ViewKey, in space: Space, _ reply: @escaping (Result<Value, Refusal>) -> Void
    ) {
        space.whenHere { [self] failure in
            if let failure { return reply(.failure(.journal(failure))) }
            let space = content(of: space)
            guard let observable = space.features.view(view) as? Observable<Value> else {
                return reply(.failure(.noSuchView("\(view)")))
            }
            var value: Value?
            observable.watch(in: graph) { value = $0 }.cancel()
            guard let value else { return reply(.failure(.noSuchView("\(view)"))) }
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
