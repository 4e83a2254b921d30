/// A value that is not shown before the version is durable at which it came to be.
enum Held {
    /// One that a cell is to show.
    case frame(Frame, Cell)
    /// One of `common`'s, for somebody who watches it together with what the space derives from it.
    case news(Frame, Cell, Onlooker, Moment)

    /// The version that it waits for.
    var version: Int {
        switch self {
        case .frame(let frame, _): frame.since.version
        case .news(_, _, _, let moment): moment.version
        }
    }

    /// Shows it.
    func show() {
        switch self {
        case .frame(let frame, let cell): cell.show(frame)
        case .news(let frame, let cell, let onlooker, let moment): onlooker.note(frame, of: cell, at: moment)
        }
    }
}
