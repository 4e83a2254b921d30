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
