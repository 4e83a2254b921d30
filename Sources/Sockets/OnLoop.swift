/// A value of one event loop that other threads pass along without touching it.
package struct OnLoop<Value>: @unchecked Sendable {
    // Sendable because only a job on the value's loop unwraps it.
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
