import JSON

/// The patches of a live stream's recent steps, made once for all readers that want patches.
struct LivePatches {
    private var views: [ViewPatches]

    /// No patches yet, at a step of `count` views.
    init(of count: Int, from step: Int) {
        views = Array(repeating: ViewPatches(from: step), count: count)
    }

    /// Takes the change of a view that led to a step.
    mutating func take(_ change: LiveValues.ViewChange, to step: Int) {
        views[change.view].take(step, from: change.old, to: change.new)
    }

    /// Returns the patch that leads a reader of a step to the present value, or nil if it is not known, or not smaller
    /// than `size`.
    func patch(of view: Int, after step: Int, below size: Int) -> JSONPatch.Builder? {
        views[view].patch(after: step, limit: size - 1)
    }
}
