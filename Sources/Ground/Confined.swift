/// A value of one thread on its way through others.
///
/// The owner wraps the value, other threads pass the wrapper on, and only a job on the owner's thread unwraps it.
package struct Confined<Value>: @unchecked Sendable {
    // Sendable because no thread but the owner's reads the value.
    /// The value, for the owner.
    package let value: Value

    /// Wraps a value of the calling thread.
    @inlinable
    package init(_ value: Value) {
        self.value = value
    }
}
