/// A variable as those see it who may read it and not write it. Its value is read through a transaction, and through nothing else.
public class ReadableVariable<Value: Equatable>: Observable<Value> {
    @usableFromInline package internal(set) final var value: Value
    /// What the open transaction has written.
    @usableFromInline package internal(set) final var draft: Value?

    /// Does what a graph asks. A stored function and not only a method, because it is made where the type of the value is known and so is
    /// compiled for that type; a method of a generic class that is found at run time is not, and costs several times as much.
    @usableFromInline let perform: (Node, WriteCommand) -> Void

    @inlinable
    init(beginningWith value: Value) {
        self.value = value
        perform = { variable, command in unsafe unsafeDowncast(variable, to: ReadableVariable<Value>.self).perform(command) }
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
            if draft! == value {
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
