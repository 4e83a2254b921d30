/// The read-only view of a variable. Its value is read only through a transaction.
public class ReadableVariable<Value: Equatable>: Observable<Value> {
    @usableFromInline package internal(set) final var value: Value
    /// The value written by the open transaction.
    @usableFromInline package internal(set) final var draft: Value?

    /// Executes a command of the graph. It is a stored function, because the initializer knows the value's type and the
    /// compiler specializes the closure for it. A method of a generic class that is dispatched at run time is not
    /// specialized, and costs several times as much.
    @usableFromInline let perform: (Node, WriteCommand) -> Void

    @inlinable
    init(beginningWith value: Value) {
        self.value = value
        perform = { variable, command in
            unsafe unsafeDowncast(variable, to: ReadableVariable<Value>.self).perform(command)
        }
        super.init(madeBy: "variable") { node in
            let variable = unsafe unsafeDowncast(node, to: ReadableVariable<Value>.self)
            variable.emit(variable.value)
        }
    }

    @usableFromInline
    override func handle(_ command: WriteCommand) {
        perform(self, command)
    }

    @inlinable
    @inline(__always)
    final func perform(_ command: WriteCommand) {
        switch command {
        case .dropUnchanged:
            if draft! == value, !countsEqualWrites {
                draft = nil
                isWritten = false
            }
        case .apply:
            guard isWritten else { return }
            isWritten = false
            if draft! == value { draft = nil } else { value = draft! }
        case .take:
            isWritten = false
            value = draft!
        case .deliver:
            isWritten = false
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
            isWritten = false
        }
    }
}
