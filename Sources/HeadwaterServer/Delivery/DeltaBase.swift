/// The values that a client has and requests a patch for.
struct DeltaBase {
    /// The step of the values.
    let step: Int
    /// The tag of the values as the client sent it, with its quotation marks.
    let tag: String
}
