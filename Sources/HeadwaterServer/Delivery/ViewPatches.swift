import JSON
import StateStore

/// The patches of the recent steps of one view, from the value before each step to the value after it.
struct ViewPatches {
    /// The maximum size of stored patches. Beyond it the oldest are removed.
    static let bytesLimit = 1_024 * 1_024

    /// The maximum size of a list whose trees are compared if its edits are not stored. A watched list has stored
    /// edits, independent of its size.
    static let comparedBytesLimit = 256 * 1_024

    private struct StepPatch {
        let step: Int
        let patch: JSONPatch.Builder
    }

    /// The patches in order, from `head` on.
    private var patches: [StepPatch] = []
    private var head = 0
    /// The bytes of the stored patches.
    private(set) var byteCount = 0
    /// The first step whose value can be patched to the current one.
    private var start: Int
    /// The current value as a tree, if it was compared as a tree.
    private var tree: JSON?

    /// Creates the patches of a view from the value of `step` on.
    init(from step: Int) {
        start = step
    }

    /// Takes the value of a step.
    mutating func take(_ step: Int, from old: Frame?, to new: Frame) {
        guard let old, case .success(let before) = old.value, case .success(let after) = new.value,
            let patch = patch(from: old, before, to: new, after), patch.count < after.size
        else {
            // A chain with a patch larger than the value is larger than the value too.
            patches = []
            (head, byteCount, start) = (0, 0, step)
            return
        }
        patches.append(StepPatch(step: step, patch: patch))
        byteCount += patch.count
        while byteCount > Self.bytesLimit { dropFirst() }
    }

    private mutating func patch(
        from old: Frame, _ before: ViewValue, to new: Frame, _ after: ViewValue
    ) -> JSONPatch.Builder? {
        let known = tree
        tree = nil
        if let patch = after.patch(from: before) { return patch }
        guard !after.isList || max(before.size, after.size) <= Self.comparedBytesLimit else { return nil }
        do {
            let tree = try new.tree()
            var patch = JSONPatch.Builder()
            patch.append(JSONPatch(from: try known ?? old.tree(), to: tree))
            self.tree = tree
            return patch
        } catch {
            // A value that cannot be parsed as a tree is sent whole.
            return nil
        }
    }

    private mutating func dropFirst() {
        start = patches[head].step
        byteCount -= patches[head].patch.count
        head += 1
        guard head * 2 > patches.count else { return }
        patches.removeFirst(head)
        head = 0
    }

    /// Returns the patch from the value of a step to the current one, or nil if it is not stored or exceeds `limit`
    /// bytes.
    func patch(after step: Int, limit: Int) -> JSONPatch.Builder? {
        guard step >= start else { return nil }
        var first = patches.count
        var size = 2
        while first > head, patches[first - 1].step > step {
            first -= 1
            size += patches[first].patch.count - 1
            guard size <= limit else { return nil }
        }
        var patch = JSONPatch.Builder()
        for index in first..<patches.count { patch.append(patches[index].patch) }
        return patch
    }

    /// Returns the patch of one of several views from the value of a step to the current `value`, which is nil if the view
    /// has failed. The whole value is encoded only if the patch is not stored, or longer.
    func member(after step: Int, to value: ViewValue?) -> [UInt8] {
        if let patch = patch(after: step, limit: (value?.size ?? 0) + Self.replacementBytes) { return patch.bytes }
        var whole = JSONPatch.Builder()
        whole.replace(JSONPointer(), with: value?.bytes ?? Array("null".utf8))
        return whole.bytes
    }

    /// The bytes of the operation that replaces a whole value, besides the value.
    private static let replacementBytes = #"[{"op":"replace","path":"","value":}]"#.utf8.count
}
