/// A piece of state: the source of truth for what is derived from it.
///
/// Its value is read and written only through a transaction. Everybody else derives from it, and hears of a commit that changed it; writing a
/// value that equals the one it has changes nothing.
public final class Variable<Value: Equatable>: ReadableVariable<Value> {
    /// Writes down what the open transaction has written of it, or says that this cannot be. A closure for the reason that `perform` is one: it is
    /// made where the type of the value is known, by whoever knows how values are written down.
    @usableFromInline package let encodeDraft: ((Node) -> [UInt8]?)?

    /// A variable that begins with `value`.
    @inlinable
    public init(_ value: Value) {
        encodeDraft = nil
        super.init(beginningWith: value)
    }

    /// A variable that begins with `value` and can be written down.
    @inlinable
    package init(_ value: Value, encodeDraft: @escaping (Node) -> [UInt8]?) {
        self.encodeDraft = encodeDraft
        super.init(beginningWith: value)
    }
}
