import HTTP

/// The part of a limit that a subject has left, as the fields of an answer say it.
struct Rate {
    /// A limit of each subject.
    enum Limit: Int, CaseIterable {
        /// Actions, and bytes of bodies, per second.
        case actions, bytes
        /// Open streams, and running trials.
        case streams, trials
        /// Actions per minute.
        case minute

        /// The seconds to which the limit applies; nil for what is open at once.
        var seconds: Int? {
            switch self {
            case .actions, .bytes: 1
            case .minute: 60
            case .streams, .trials: nil
            }
        }
    }

    let kind: Limit
    /// The quota.
    let limit: Int
    /// The part that is left.
    let left: Int

    func write(to writer: inout FieldWriter) {
        writer.field("RateLimit-Policy", "\"\(kind)\";q=\(limit)\(kind.seconds.map { ";w=\($0)" } ?? "")")
        writer.field("RateLimit", "\"\(kind)\";r=\(left)\(kind.seconds.map { ";t=\($0)" } ?? "")")
    }
}
