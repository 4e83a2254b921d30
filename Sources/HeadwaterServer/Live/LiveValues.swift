import JSON
import StateStore

/// The values that a live stream shows: those of each space of one moment, and those of all spaces of one version of
/// `common`.
///
/// Each loop tells its spaces by itself. So an update with a newer version of `common` waits until all loops have told
/// that version: a commit in `common` is one step.
struct LiveValues {
    let selection: LiveSelection
    /// The index of the loop that tells each part.
    private let branchOfPart: [Int]
    /// The version of `common` up to which each loop has told everything; nil before its first news.
    private var commons: [Int?]
    /// The updates of each part that wait for other loops, in their order, each with the number of the last request for
    /// news that its loop had answered before.
    private var waiting: [[(update: LiveUpdate, refresh: Int)]]
    private var frames: [Frame?]
    private var digests: [Digest?]
    /// The moment that each part shows; nil before its first values.
    private(set) var moments: [Moment?]
    private(set) var lives: [[Life]]
    /// The step in which each view changed last.
    private(set) var changedAt: [Int]
    /// The number of steps.
    private(set) var step = 0
    /// The last step that readers of an earlier one take whole: after a reset, or after a view was gone.
    private(set) var wholeStep = 0
    /// The last step in which a life ended.
    private(set) var lifeStep = 0
    /// The number of the last request for news that each loop has answered.
    private var refreshes: [Int]
    /// The first view that is gone, if there is one.
    private(set) var failure: (view: String, failure: ViewFailure)?

    init(_ selection: LiveSelection, _ branchOfPart: [Int]) {
        self.selection = selection
        self.branchOfPart = branchOfPart
        commons = Array(repeating: nil, count: (branchOfPart.max() ?? -1) + 1)
        refreshes = commons.map { _ in 0 }
        waiting = selection.parts.map { _ in [] }
        frames = selection.names.map { _ in nil }
        digests = selection.names.map { _ in nil }
        moments = selection.parts.map { _ in nil }
        lives = selection.parts.map { _ in [] }
        changedAt = selection.names.map { _ in 0 }
    }

    /// True once all values are there.
    var isWhole: Bool { step > 0 }
    /// The number of the last request for news whose answers of all loops are shown.
    var refresh: Int { min(refreshes.min() ?? 0, waiting.compactMap { $0.first?.refresh }.min() ?? .max) }
    /// True if an update waits for another loop.
    var isWaiting: Bool { waiting.contains { !$0.isEmpty } }

    /// Notes the news of a loop, which the next step takes.
    mutating func note(_ news: LiveNews, from branch: Int) {
        commons[branch] = max(commons[branch] ?? 0, news.common)
        for update in news.updates {
            // Of several updates of one version of `common` the views of all are of the last one's moment.
            if let last = waiting[update.part].last?.update, last.moment.common == update.moment.common,
                last.lives == update.lives
            {
                waiting[update.part][waiting[update.part].count - 1].update = last.followed(by: update)
            } else {
                waiting[update.part].append((update, refreshes[branch]))
            }
        }
        refreshes[branch] = max(refreshes[branch], news.refresh)
    }

    /// The change of one view in a step.
    struct ViewChange {
        let view: Int
        let old: Frame?
        let new: Frame
    }

    /// Takes a step, if there is something new. Returns the changes, or nil if there are none. Without `isPatient`, it
    /// takes updates that wait for other loops too.
    mutating func takeStep(isPatient: Bool = true, _ digest: (Frame) -> Digest) -> [ViewChange]? {
        guard commons.allSatisfy({ $0 != nil }) else { return nil }
        let common = isPatient ? commons.reduce(Int.max) { min($0, $1 ?? 0) } : Int.max
        if step == 0 {
            // The first step has all.
            for part in waiting.indices {
                guard let first = waiting[part].first?.update, first.moment.common <= common else { return nil }
            }
        }
        var changes: [ViewChange] = []
        var hasEnded = false
        for part in waiting.indices {
            while let update = waiting[part].first?.update, update.moment.common <= common {
                waiting[part].removeFirst()
                if !lives[part].isEmpty, lives[part] != update.lives { hasEnded = true }
                lives[part] = update.lives
                moments[part] = update.moment
                for (index, frame) in update.frames {
                    take(frame, digest(frame), at: selection.starts[part] + index, &changes)
                }
            }
        }
        guard !changes.isEmpty || hasEnded else { return nil }
        return finishStep(changes, hasEnded)
    }

    private mutating func take(_ frame: Frame, _ digest: Digest, at view: Int, _ changes: inout [ViewChange]) {
        guard digests[view] != digest else { return }
        let old = frames[view]
        digests[view] = digest
        frames[view] = frame
        changedAt[view] = step + 1
        if let index = changes.firstIndex(where: { $0.view == view }) {
            changes[index] = ViewChange(view: view, old: changes[index].old, new: frame)
        } else {
            changes.append(ViewChange(view: view, old: old, new: frame))
        }
    }

    private mutating func finishStep(_ changes: [ViewChange], _ hasEnded: Bool) -> [ViewChange]? {
        let previous = failure
        failure = currentFailure
        step += 1
        if hasEnded { lifeStep = step }
        // Readers get all values when a view is back.
        if hasEnded || previous != nil && failure == nil {
            wholeStep = step
            for view in changedAt.indices { changedAt[view] = step }
        }
        return changes
    }

    private var currentFailure: (view: String, failure: ViewFailure)? {
        for (view, name) in selection.names.enumerated() {
            if let failure = goneFailure(of: view) { return (name, failure) }
        }
        return nil
    }

    /// The failure of a view that does not exist any more; nil for any other.
    func goneFailure(of view: Int) -> ViewFailure? {
        if case .failure(let failure)? = frames[view]?.value, failure.isGone { failure } else { nil }
    }

    /// Returns the value of a view; nil if it has failed.
    func value(of view: Int) -> ViewValue? {
        if case .success(let value)? = frames[view]?.value { return value }
        return nil
    }

    /// Returns the id of the present values.
    func id(_ key: DigestKey, era: UInt64) -> LiveID {
        LiveID(selection, lives: lives, digests: digests, era: era, key)
    }

    /// Returns the parts that have views which changed after a step.
    func parts(after step: Int) -> [Int] {
        selection.parts.indices.filter { part in
            let start = selection.starts[part]
            return changedAt[start..<start + selection.parts[part].views.count].contains { $0 > step }
        }
    }

    /// Returns the text of the versions that a part shows: `18.7`, and of `common` itself `7`.
    func versions(of part: Int) -> String {
        guard let moment = moments[part] else { return "" }
        return selection.parts[part].space == .common ? "\(moment.common)" : "\(moment.version).\(moment.common)"
    }
}

extension LiveUpdate {
    /// Returns this update and a later one of the same space as one, of the later one's moment.
    fileprivate func followed(by later: LiveUpdate) -> LiveUpdate {
        let kept = frames.filter { earlier in !later.frames.contains { $0.view == earlier.view } }
        return LiveUpdate(part: part, moment: later.moment, lives: later.lives, frames: kept + later.frames)
    }
}
