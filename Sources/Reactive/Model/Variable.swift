/// A piece of state: the source of truth for what is derived from it.
///
/// Its value is read and written only through a transaction. Everybody else derives from it, and hears of a commit that changed it; writing a
/// value that equals the one it has changes nothing.
public final class Variable<Value: Equatable>: Observable<Value> {
    @usableFromInline var value: Value
    /// What the open transaction has written.
    @usableFromInline var draft: Value?

    /// A variable that begins with `value`.
    @inlinable
    public init(_ value: Value) {
        self.value = value
        super.init(
            answer: { node, request in unsafe unsafeDowncast(node, to: Variable<Value>.self).answer(request) },
            start: { node in
                let variable = unsafe unsafeDowncast(node, to: Variable<Value>.self)
                variable.emit(variable.value)
            })
    }

    @inlinable
    func answer(_ request: Node.Request) {
        switch request {
        case .apply:
            if draft! == value { draft = nil } else { value = draft! }
        case .publish:
            if draft != nil {
                draft = nil
                emit(value)
            }
        case .discard: draft = nil
        case .tell: break
        }
    }
}
