/// The inputs of edits by administrators, as commits have them.
enum EditInput {
    /// The action of the commits.
    static let action = "administration/edit"
    /// The places of the values in an input. Clients see them in the changed rows only.
    static let valuePlaces = ["/input/edits/*/with", "/input/edits/*/row"]
}
