import StateStore

/// A listener to events of a loop's spaces other than new values.
protocol SpaceListener: AnyObject {
    /// A space of the loop was deleted.
    func noteForgotten(_ space: SpaceName)
    /// A space of the loop moves to another one when it is watched no longer.
    func leave(_ space: SpaceName)
    /// The loop shows a newer version of `common`.
    func noteCommon()
}
