public import Reactive

// Actions that effects name by their properties.

extension Outside {
    /// Performs an action of a service, by its property: the compiler checks the name and the input. Otherwise as by its
    /// name.
    ///
    ///     outside.perform(\LibraryService.counted, Book(title: title, pages: 635))
    public func perform<Service: StateService, Input: Record>(
        _ action: KeyPath<Service, InternalAction<Input>>, _ input: Input, in space: SpaceName? = nil,
        key: String? = nil
    ) -> Observable<Answer> { perform(at: action, input, in: space, key: key) }

    /// Performs an action of a service, by its property.
    public func perform<Service: StateService, Input: Record>(
        _ action: KeyPath<Service, Action<Input>>, _ input: Input, in space: SpaceName? = nil, key: String? = nil
    ) -> Observable<Answer> { perform(at: action, input, in: space, key: key) }

    /// Performs an action of a service that answers a value of its own, by its property.
    public func perform<Service: StateService, Input: Record, Output>(
        _ action: KeyPath<Service, AnsweringAction<Input, Output>>, _ input: Input, in space: SpaceName? = nil,
        key: String? = nil
    ) -> Observable<Answer> { perform(at: action, input, in: space, key: key) }

    private func perform<Service: StateService, Input: Record>(
        at path: PartialKeyPath<Service>, _ input: Input, in space: SpaceName?, key: String?
    ) -> Observable<Answer> {
        .deferred { [self] in
            guard
                let name = MemoryLayout<Service>.offset(of: path).flatMap({ offset in
                    openHost?.action(at: offset, in: ObjectIdentifier(Service.self), of: feature)
                })
            else {
                let message = "an effect performs an action of \(Service.self), which is the service of no feature"
                openHost?.noteMisspelling(message)
                return .failed(MisspeltAction(description: message))
            }
            return perform(name, input, in: space, key: key)
        }
    }
}
