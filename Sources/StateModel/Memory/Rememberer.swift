package import Reactive

/// The remembering definitions, or the named operators, of a feature in one space. The space drives it in each of its commits, after the graph
/// has settled.
package protocol Rememberer: AnyObject {
    /// True if there are definitions that remember.
    var isRemembering: Bool { get }
    /// True if values are delivered to the graph while they are computed, and not by `show`.
    var deliversAtOnce: Bool { get }
    /// The time of the earliest alarm; nil if there is none.
    var due: Timestamp? { get }
    /// Continues from the memory of a loaded space, and follows its views in `graph`.
    func resume(in graph: Graph)
    /// Takes the definitions after a commit that may have changed them. `entries` are those of the memory that the
    /// caller has made for a definition of the commit, and `variable` is its variable.
    func update(_ change: OwnChange, _ entries: [String: [UInt8]], of variable: String, in graph: Graph)
    /// Takes the values of the sources after a commit.
    func remember(_ change: OwnChange, in graph: Graph)
    /// Lets the alarms go off that are due by `time`, each at its own time.
    func elapse(to time: Timestamp, in graph: Graph)
    /// Delivers the values that follow from the memory, in a turn of the graph. Used without `resume`, for the past.
    func refresh(in graph: Graph)
    /// Delivers the values that have changed, in a turn of the graph.
    func show(in graph: Graph)
    /// The observables from which it takes the values of one that it delivers. They are active until the subscriptions
    /// end.
    func sources(of output: Node, in graph: Graph) -> (nodes: [Node], subscriptions: [Subscription])?
}
