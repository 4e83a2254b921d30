import HTTP

/// The part of a limit that a subject has left, as the fields of an answer say it.
struct Rate {
    /// A limit of each subject.
    enum Limit: Int, CaseIterable {
        /// Actions, and bytes of bodies, per second.
        case actions, bytes
        /// Open streams, and running trials.
        case streams, trials

        /// True if the limit is for each second.
        var isPerSecond: Bool { self == .actions || self == .bytes }
    }

    let kind: Limit
    /// The quota.
    let limit: Int
    /// The part that is left.
    let left: Int

    func write(to writer: inout FieldWriter) {
        writer.field("RateLimit-Policy", "\"\(kind)\";q=\(limit)\(kind.isPerSecond ? ";w=1" : "")")
        writer.field("RateLimit", "\"\(kind)\";r=\(left)\(kind.isPerSecond ? ";t=1" : "")")
    }
}
