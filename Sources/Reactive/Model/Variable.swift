/// A piece of state: the source of truth for what is derived from it.
///
/// Its value is read and written only through a transaction. Everybody else derives from it, and hears of a commit that changed it; writing a
/// value that equals the one it has changes nothing.
public final class Variable<Value: Equatable>: Readable<Value> {
    /// A variable that begins with `value`.
    @inlinable
    public init(_ value: Value) {
        super.init(beginningWith: value)
    }
}
