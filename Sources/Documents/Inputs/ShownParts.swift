import StateModel

/// The private parts that are null where an action shows something: in the text of a refusal, or in its answer.
struct ShownParts: Sendable {
    /// The parts of the state.
    let state: HiddenParts
    /// The parts of the input.
    let input: PrivateParts

    /// The parts; nil if there are none.
    init?(_ state: HiddenParts, _ input: PrivateParts) {
        guard !state.isEmpty || input != .none else { return nil }
        (self.state, self.input) = (state, input)
    }
}
