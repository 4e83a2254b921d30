/// A value of one thread on its way through others and back.
///
/// The owner takes the value out in a job on its own thread. So no other thread releases it, even if one still has the
/// wrapper when the job runs.
package final class Returned<Value>: @unchecked Sendable {
    // Sendable because no thread but the owner's reads the value.
    private var value: Value?

    /// Wraps a value of the calling thread.
    package init(_ value: Value) {
        self.value = value
    }

    /// Returns the value, which leaves the wrapper. Only once, on the thread of the owner.
    package func take() -> Value {
        guard let value = value.take() else { preconditionFailure("the value has been taken") }
        return value
    }
}
