/// Something of one loop, on its way through other threads.
struct OnLoop<Value>: @unchecked Sendable {
    // Sendable because nobody but a job on the loop that the value belongs to takes it out.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
