package import Reactive

/// The remembering definitions of a feature in one space. The space drives it in each of its commits, after the graph
/// has settled.
package protocol Rememberer: AnyObject {
    /// True if there are definitions that remember.
    var isRemembering: Bool { get }
    /// The time of the earliest alarm; nil if there is none.
    var due: Timestamp? { get }
    /// Continues from the memory of a loaded space, and follows its views in `graph`.
    func resume(in graph: Graph)
    /// Takes a memory that was written from outside, and delivers its values in a turn of the graph. It follows no views
    /// until `resume`.
    func reread(in graph: Graph)
    /// Takes the definitions after a commit that may have changed them.
    func update(_ change: OwnChange, in graph: Graph)
    /// Takes the values of the sources after a commit.
    func remember(_ change: OwnChange)
    /// Lets the alarms go off that are due by `time`, each at its own time.
    func elapse(to time: Timestamp)
    /// Delivers the values that have changed, in a turn of the graph.
    func show(in graph: Graph)
}
