/// A piece of state, the source of truth for derived values.
///
/// Its value is read and written only through a transaction. Other code derives from it and receives the commits that
/// changed it. Writing an equal value changes nothing.
public final class Variable<Value: Equatable>: ReadableVariable<Value> {
    /// Encodes the value that the open transaction has written, or returns nil if it cannot be encoded. A closure for
    /// the reason given at `perform`: the type of the value is known where it is made, in the module that knows the
    /// encoding.
    @usableFromInline package let encodeDraft: ((Node) -> [UInt8]?)?

    /// Creates a variable with an initial value.
    @inlinable
    public init(_ value: Value) {
        encodeDraft = nil
        super.init(beginningWith: value)
    }

    /// Creates a variable with an initial value that can be encoded.
    @inlinable
    package init(_ value: Value, encodeDraft: @escaping (Node) -> [UInt8]?) {
        self.encodeDraft = encodeDraft
        super.init(beginningWith: value)
    }
}

// Loading a space gives its variables their values before anything derives from them. That needs no turn of
// the graph, and may happen within one.

extension Variable {
    /// Sets the value at once. Precondition: nobody listens, and no transaction has written the variable.
    @inlinable
    package func restore(_ value: Value) {
        precondition(!isActive && !isWritten, "a variable is restored before it is used")
        self.value = value
    }
}
