/// A variable as those see it who may read it and not write it. Its value is read through a transaction, and through nothing else.
public class Readable<Value: Equatable>: Observable<Value> {
    @usableFromInline package internal(set) final var value: Value
    /// What the open transaction has written.
    @usableFromInline package internal(set) final var draft: Value?

    /// Does what a graph asks. A stored function and not only a method, because it is made where the type of the value is known and so is
    /// compiled for that type; a method of a generic class that is found at run time is not, and costs several times as much.
    @usableFromInline let perform: (Node, Request) -> Void

    @inlinable
    init(beginningWith value: Value) {
        self.value = value
        perform = { variable, request in unsafe unsafeDowncast(variable, to: Readable<Value>.self).perform(request) }
        super.init(madeBy: "variable") { node in
            let variable = unsafe unsafeDowncast(node, to: Readable<Value>.self)
            variable.emit(variable.value)
        }
    }

    @usableFromInline
    override func answer(_ request: Request) {
        perform(self, request)
    }

    @inlinable
    @inline(__always)
    final func perform(_ request: Request) {
        switch request {
        case .weigh:
            if draft! == value {
                draft = nil
                isTouched = false
            }
        case .apply:
            guard isTouched else { return }
            isTouched = false
            if draft! == value { draft = nil } else { value = draft! }
        case .take:
            isTouched = false
            value = draft!
        case .deliver:
            isTouched = false
            value = draft!
            draft = nil
            emit(value)
        case .publish:
            if draft != nil {
                draft = nil
                emit(value)
            }
        case .discard:
            draft = nil
            isTouched = false
        }
    }
}
