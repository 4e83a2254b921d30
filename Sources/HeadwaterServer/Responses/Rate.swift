import HTTP

/// The actions that an account may still perform in this second.
struct Rate {
    /// The actions of one second.
    let limit: Int
    /// The actions that are left.
    let left: Int

    func write(to writer: inout FieldWriter) {
        writer.field("RateLimit-Policy", "\"actions\";q=\(limit);w=1")
        writer.field("RateLimit", "\"actions\";r=\(left);t=1")
    }
}
