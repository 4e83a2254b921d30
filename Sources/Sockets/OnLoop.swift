/// Something of one loop, on its way through other threads.
package struct OnLoop<Value>: @unchecked Sendable {
    // Sendable because nobody but a job on the loop that the value belongs to takes it out.
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
