import Reactive

/// Where views are: a space, or the replica of `common`.
protocol Place: AnyObject {
    /// What derived values are of just now.
    var moment: Moment { get }
    /// Whether what is of just now may be shown.
    var isShown: Bool { get }
    var graph: Graph { get }
    /// Keeps a value back until it may be shown.
    func keepBack(_ held: Held)
    /// Has somebody told when everything of this moment has settled.
    func noteDirty(_ onlooker: Onlooker)
    /// Counts those who watch from here: one more, or one less.
    func noteOnlooker(_ change: Int)
    /// Notes that a view has changed by time alone.
    func noteBeat()
    /// Has a view that is watched and failed tried again in a later moment.
    func noteFailed(_ cell: Cell)
}
