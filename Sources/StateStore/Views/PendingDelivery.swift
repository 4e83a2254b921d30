/// A value that is delivered when the version it derives from is durable.
enum PendingDelivery {
    /// A value for the subscribers of a view of this space.
    case frame(Frame, ViewCell)
    /// A value of a view of `common`, for one subscriber of this space. It is delivered together with the values that
    /// the space derives from it.
    case common(Frame, ViewCell, ViewSubscriber, Moment)

    /// The version that must be durable.
    var version: Int {
        switch self {
        case .frame(let frame, _): frame.since.version
        case .common(_, _, _, let moment): moment.version
        }
    }

    /// Delivers the value.
    func deliver() {
        switch self {
        case .frame(let frame, let cell): cell.show(frame)
        case .common(let frame, let cell, let subscriber, let moment): subscriber.note(frame, of: cell, at: moment)
        }
    }
}
