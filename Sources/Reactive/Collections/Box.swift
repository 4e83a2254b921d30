/// A mutable value that several closures share.
@usableFromInline
package final class Box<Value> {
    @usableFromInline package var value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }
}
