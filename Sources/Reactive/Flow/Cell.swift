/// A value that several closures share.
@usableFromInline
package final class Cell<Value> {
    @usableFromInline package var value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }
}
