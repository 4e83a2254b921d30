/// A piece of state: the source of truth for what is derived from it.
///
/// Its value is read and written only through a transaction. Everybody else derives from it, and hears of a commit that changed it; writing a
/// value that equals the one it has changes nothing.
public final class Variable<Value: Equatable>: Observable<Value> {
    @usableFromInline var value: Value
    /// What the open transaction has written.
    @usableFromInline var draft: Value?

    /// Does what a graph asks. A stored function and not only a method, because it is made where the type of the value is known and so is
    /// compiled for that type; a method of a generic class that is found at run time is not, and costs several times as much.
    @usableFromInline let perform: (Node, Request) -> Void

    /// A variable that begins with `value`.
    @inlinable
    public init(_ value: Value) {
        self.value = value
        perform = { variable, request in unsafe unsafeDowncast(variable, to: Variable<Value>.self).perform(request) }
        super.init { node in
            let variable = unsafe unsafeDowncast(node, to: Variable<Value>.self)
            variable.emit(variable.value)
        }
    }

    @usableFromInline
    override func answer(_ request: Request) {
        perform(self, request)
    }

    @inlinable
    func perform(_ request: Request) {
        switch request {
        case .apply:
            if draft! == value { draft = nil } else { value = draft! }
        case .publish:
            if draft != nil {
                draft = nil
                emit(value)
            }
        case .discard: draft = nil
        }
    }
}
