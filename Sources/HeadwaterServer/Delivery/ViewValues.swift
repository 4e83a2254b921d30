import HTTP
import JSON
import StateStore

/// The values of some views of a space that are read together. Each change of some of them is a step.
struct ViewValues {
    let names: [ViewKey]
    /// True for a single view, false for an object of several views.
    let isSingle: Bool
    /// The number of steps so far.
    private(set) var step = 0
    /// The first step of the current life of the space.
    private(set) var lifeStep = 0
    /// The last step in which all values were sent again, because of a new life or of views that exist again.
    private(set) var wholeStep = 0
    /// The patches of recent steps; nil while no reader wants them.
    private var patches: PatchMemory?
    /// The failure that replaces the values: that of a single view or, among several, of the first view that no longer
    /// exists.
    private(set) var failure: (view: String, failure: ViewFailure)?
    /// The number of new bytes in the last step.
    private(set) var newBytes = 0

    /// The value of each view, in the order of `names`.
    private var values: [CurrentValue]

    /// The value of one view.
    private struct CurrentValue {
        let nameDigest: Digest
        var frame: Frame?
        var digest: Digest?
        /// The step of the last change.
        var changedAt = 0
        /// The new value for the next step.
        var news: Frame?

        /// The failure of a view that does not exist any more; nil for any other.
        var goneFailure: ViewFailure? {
            if case .failure(let failure)? = frame?.value, failure.isGone { failure } else { nil }
        }
    }

    init(_ names: [ViewKey], of space: SpaceName, isSingle: Bool, _ tags: ViewTags) {
        self.names = names
        self.isSingle = isSingle
        values = names.map { CurrentValue(nameDigest: tags.digest(of: $0.description, in: space)) }
    }

    /// Drops the values. The steps stay.
    mutating func removeAll() {
        for index in values.indices {
            values[index].frame = nil
            values[index].digest = nil
        }
        failure = nil
        patches = nil
    }

    /// Notes values for the next step.
    mutating func note(_ news: ViewFrames) {
        var next = 0
        for (view, frame) in news {
            guard let index = names.indices.first(where: { ($0 >= next || next == 0) && names[$0] == view }) else {
                continue
            }
            next = index + 1
            values[index].news = frame
        }
    }

    /// Takes the step to the noted values. Returns false if no value changes. In a new life all values are new.
    mutating func takeStep(_ tags: ViewTags, isNewLife: Bool) -> Bool {
        newBytes = 0
        var isChanged = isNewLife
        for index in names.indices {
            guard let frame = values[index].news else { continue }
            values[index].news = nil
            let digest = tags.digest(of: frame)
            guard values[index].digest != digest else { continue }
            values[index].digest = digest
            patches?.take(index, at: step + 1, from: values[index].frame, to: frame)
            values[index].frame = frame
            values[index].changedAt = step + 1
            newBytes += frame.size
            isChanged = true
        }
        guard isChanged else { return false }
        let previous = failure
        failure = currentFailure
        step += 1
        let isBack = !isSingle && previous != nil && failure == nil
        guard isBack || isNewLife else { return true }
        for index in values.indices { values[index].changedAt = step }
        wholeStep = step
        if isNewLife {
            lifeStep = step
            if patches != nil { patches = PatchMemory(of: names.count, from: step, "") }
        }
        return true
    }

    // MARK: Patches

    /// True while patches are stored.
    var keepsPatches: Bool { patches != nil }

    /// The bytes of the stored patches.
    var patchBytes: Int { patches?.byteCount ?? 0 }

    /// Stores patches from now on. `opaque` is the compared part of the current tag.
    mutating func keepPatches(_ opaque: String) {
        if patches == nil { patches = PatchMemory(of: names.count, from: step, opaque) }
    }

    /// Drops the patches.
    mutating func dropPatches() {
        patches = nil
    }

    /// Stores the compared part of the tag of the current step.
    mutating func noteTag(_ opaque: String) {
        patches?.note(opaque, of: step)
    }

    /// Returns the newest stored step with the tag `opaque`, or nil.
    func step(of opaque: Substring) -> Int? { patches?.step(of: opaque) }

    /// Returns the encoded patches from the values of a step to the current ones: an array for one view, an object of
    /// arrays for several. Returns nil if the values are shorter, or the patches from that step are not stored.
    func patch(after step: Int) -> [UInt8]? {
        guard let patches, failure == nil, step >= wholeStep else { return nil }
        if isSingle {
            guard let value = value(of: 0) else { return nil }
            return patches.patch(of: 0, after: step, limit: value.size)?.bytes
        }
        var writer = JSONWriter()
        writer.object { writer in
            for index in names.indices where values[index].changedAt > step {
                writer.field(
                    names[index].description, written: patches.member(of: index, after: step, to: value(of: index)))
            }
        }
        return writer.bytes
    }

    // MARK: Contents

    /// The views that are gone since a step: a document has dropped them, or their parameters no longer fit.
    func gone(after step: Int) -> [(view: String, failure: ViewFailure)] {
        guard failure?.failure.isGone ?? false else { return [] }
        return zip(names, values).compactMap { name, value in
            guard value.changedAt > step, let failure = value.goneFailure else { return nil }
            return (name.description, failure)
        }
    }

    /// True if a view that is there has changed after a step.
    func hasContent(after step: Int) -> Bool {
        values.contains { $0.changedAt > step && $0.goneFailure == nil }
    }

    private var currentFailure: (view: String, failure: ViewFailure)? {
        for (view, value) in zip(names, values) {
            if case .failure(let failure)? = value.frame?.value, isSingle || failure.isGone {
                return (view.description, failure)
            }
        }
        return nil
    }

    /// The digest of all values.
    func digest(_ tags: ViewTags) -> Digest {
        tags.digest(of: names.indices.map { (names[$0], values[$0].nameDigest, values[$0].digest) })
    }

    /// The number of bytes of all values.
    var size: Int { values.reduce(0) { $0 + ($1.frame?.size ?? 0) } }

    /// The value of a single view; nil if it has failed or is not known.
    var singleValue: ViewValue? { value(of: 0) }

    /// Returns the value of a view, or nil if it has failed.
    private func value(of index: Int) -> ViewValue? {
        if case .success(let value)? = values[index].frame?.value { return value }
        return nil
    }

    /// Returns the views that have changed after a step, encoded. Large lists stay in their pieces.
    func content(after step: Int) -> Rope {
        if isSingle { return value(of: 0).written }
        var object = WrittenObject()
        for index in names.indices where values[index].changedAt > step && values[index].goneFailure == nil {
            object.add(names[index].description, value(of: index).written)
        }
        return object.rope
    }
}

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
