/// The values that a client has and wants a patch of.
struct DeltaBase {
    /// The step of the values.
    let step: Int
    /// Their tag as the client sent it, with its quotation marks.
    let tag: String
}
