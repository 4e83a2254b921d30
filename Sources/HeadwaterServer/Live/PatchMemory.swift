import JSON
import StateStore

/// The patches of a live stream's recent steps, made once for all readers that want patches.
struct PatchMemory {
    /// The bytes of patches that are kept of one view.
    static let bytesLimit = 1 << 20

    private struct RecentPatches {
        /// The patches, each with the step that it leads to.
        var patches: [(step: Int, patch: JSONPatch.Builder)] = []
        var bytes = 0
        /// The step from which on every change has a patch.
        var start: Int
    }

    private var entries: [RecentPatches]

    /// A memory that begins at a step.
    init(viewCount: Int, at step: Int) {
        entries = Array(repeating: RecentPatches(start: step), count: viewCount)
    }

    /// Takes the change of a view that led to a step.
    mutating func take(_ change: LiveValues.ViewChange, to step: Int) {
        let view = change.view
        guard let old = change.old, let new = change.new, let patch = Self.patch(from: old, to: new),
            patch.count < Self.bytesLimit
        else {
            entries[view] = RecentPatches(start: step)
            return
        }
        entries[view].patches.append((step, patch))
        entries[view].bytes += patch.count
        while entries[view].bytes > Self.bytesLimit, let oldest = entries[view].patches.first {
            entries[view].patches.removeFirst()
            entries[view].bytes -= oldest.patch.count
            entries[view].start = oldest.step
        }
    }

    /// Returns the patch that leads a reader of a step to the present value, or nil if it is not remembered, or not
    /// smaller than `size`.
    func patch(of view: Int, after step: Int, below size: Int) -> JSONPatch.Builder? {
        guard entries[view].start <= step else { return nil }
        var patch = JSONPatch.Builder()
        for (reached, next) in entries[view].patches where reached > step {
            patch.append(next)
            guard patch.count < size else { return nil }
        }
        return patch
    }

    /// Returns the patch between two values: the edits of a list if they are remembered, or the result of a comparison.
    private static func patch(from old: ViewValue, to new: ViewValue) -> JSONPatch.Builder? {
        if let patch = new.patch(from: old) { return patch }
        do throws(JSONError) {
            let before = try JSON(parsing: old.bytes, depth: JSONReader.greatestDepthLimit)
            let after = try JSON(parsing: new.bytes, depth: JSONReader.greatestDepthLimit)
            var patch = JSONPatch.Builder()
            patch.append(JSONPatch(from: before, to: after))
            return patch
        } catch {
            // The values are the server's own JSON; if one cannot be read, readers get it whole.
            return nil
        }
    }
}
