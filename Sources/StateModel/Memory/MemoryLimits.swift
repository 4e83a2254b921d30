/// The limits of what a space remembers.
package enum MemoryLimits {
    /// The maximum number of remembering definitions of a space, and of named operators of a scope.
    package static let definitions = 100
    /// The maximum size of the memory of one definition or operator, in bytes.
    package static let bytes = 1_048_576
    /// The maximum number of steps of all remembering definitions of a space in one commit, and of the named operators
    /// of a feature.
    package static let steps = 100_000
    /// The shortest duration of an operator, in milliseconds: a space makes at most ten commits by time a second.
    package static let milliseconds = 100
}
