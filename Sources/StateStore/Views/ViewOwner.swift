import Reactive

/// The owner of views: a space, or the replica of `common`.
protocol ViewOwner: AnyObject {
    /// The current moment of its derived values.
    var moment: Moment { get }
    /// The number of changes of the state that made no version.
    var unkeptChanges: Int { get }
    /// The number of the present grains of time that views read.
    var ticks: Int { get }
    /// The moment of its delivered values; nil while its content is not loaded.
    var shown: Moment? { get }
    /// The moment of its delivered values. While the content is not loaded, it stays.
    var delivered: Moment? { get }
    /// True if its current values are durable.
    var isDurable: Bool { get }
    var graph: Graph { get }
    var updates: ViewUpdates { get }
    /// Delivers a value when its version is durable.
    func postpone(_ delivery: PendingDelivery)
    /// Notifies a subscriber at the end of this moment.
    func noteDirty(_ subscriber: ViewSubscriber)
    /// Adds `change` to the number of subscribers.
    func noteSubscribers(_ change: Int)
    /// Keeps an instance of a view for further subscribers, from its first one to its last.
    func noteInstance(_ cell: ViewCell, isWatched: Bool)
    /// The cell of a view that its subscribers see: its own, or one of `common`; nil if there is no such view.
    func visibleCell(_ name: ViewKey) -> ViewCell?
    /// Returns true if a list without subscribers is to be maintained, so that the next reader finds it. Then the owner
    /// releases it some time.
    func hold(_ cell: ViewCell) -> Bool
    /// Notes that it is used.
    func noteUse()
}

extension ViewOwner {
    func hold(_ cell: ViewCell) -> Bool { false }
}

/// A state of the content from which values derive: while it is equal, every view has the same value.
struct ContentState: Equatable {
    private let moment: Moment
    private let unkeptChanges: Int
    private let ticks: Int

    init(of owner: any ViewOwner) {
        moment = owner.moment
        unkeptChanges = owner.unkeptChanges
        ticks = owner.ticks
    }
}
