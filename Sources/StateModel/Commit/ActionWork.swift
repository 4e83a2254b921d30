/// The work that the actions of described features have done in one commit. Its limits hold for all of them together.
package struct ActionWork: Sendable {
    /// The steps of expressions.
    package var steps = 0
    /// The rows that actions have read by their keys.
    package var rows = 0
    /// The rounds of loops.
    package var rounds = 0
    /// The bytes of the written rows and values.
    package var writtenBytes = 0

    /// No work.
    package init() {}
}
