import JSON
import StateStore

/// The patches of the recent steps of some views, stored while readers want patches.
struct PatchMemory {
    /// The maximum number of steps that can be found by tag.
    static let tagsLimit = 1_024

    private var views: [ViewPatches]
    /// The OPAQUE of the tag of each recent step.
    private var tags: [(opaque: String, step: Int)]

    /// Creates a memory of `count` views that begins at a step.
    init(of count: Int, from step: Int, _ opaque: String) {
        views = Array(repeating: ViewPatches(from: step), count: count)
        tags = [(opaque, step)]
    }

    /// The bytes of all patches.
    var byteCount: Int { views.reduce(0) { $0 + $1.byteCount } }

    /// Takes the value of a view at a step.
    mutating func take(_ index: Int, at step: Int, from old: Frame?, to new: Frame) {
        views[index].take(step, from: old, to: new)
    }

    /// Stores the tag of a step.
    mutating func note(_ opaque: String, of step: Int) {
        if tags.count == Self.tagsLimit { tags.removeFirst(Self.tagsLimit / 2) }
        tags.append((opaque, step))
    }

    /// Returns the newest step with the tag `opaque`.
    func step(of opaque: Substring) -> Int? { tags.last { $0.opaque == opaque }?.step }

    /// Returns the patch of a view from the value of a step to the current one, or nil if it is not stored or exceeds
    /// `limit` bytes.
    func patch(of index: Int, after step: Int, limit: Int) -> JSONPatch.Builder? {
        views[index].patch(after: step, limit: limit)
    }

    /// Returns the patch of a view, as one of several, from the value of a step to the current `value`.
    func member(of index: Int, after step: Int, to value: ViewValue?) -> [UInt8] {
        views[index].member(after: step, to: value)
    }
}
