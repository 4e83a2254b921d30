import JSON
import StateStore

/// The values of some views of a space that are read together. Each change of some of them is a step.
struct ViewValues {
    let names: [String]
    /// True for one view by itself, false for an object of several.
    let isSingle: Bool
    /// The number of steps so far.
    private(set) var step = 0
    /// The first step of the present life of the space.
    private(set) var lifeStep = 0
    /// The failure that replaces the values: that of a single view or, of several, of the first view that is gone.
    private(set) var failure: (view: String, failure: ViewFailure)?
    /// The number of bytes that the last step has brought.
    private(set) var newBytes = 0

    private var frames: [Frame?]
    private var digests: [Digest?]
    private let nameDigests: [Digest]
    /// The step in which each view changed last.
    private var changedAt: [Int]
    /// The values that the next step brings.
    private var news: [Frame?]

    init(_ names: [String], of space: SpaceName, isSingle: Bool, _ tags: ViewTags) {
        self.names = names
        self.isSingle = isSingle
        nameDigests = names.map { tags.digest(of: $0, in: space) }
        frames = Array(repeating: nil, count: names.count)
        digests = Array(repeating: nil, count: names.count)
        news = Array(repeating: nil, count: names.count)
        changedAt = Array(repeating: 0, count: names.count)
    }

    /// Drops the values. The steps stay.
    mutating func removeAll() {
        for index in names.indices {
            frames[index] = nil
            digests[index] = nil
        }
        failure = nil
    }

    /// Notes values for the next step.
    mutating func note(_ news: ViewFrames) {
        var next = 0
        for (view, frame) in news {
            guard let index = names.indices.first(where: { ($0 >= next || next == 0) && names[$0] == view }) else {
                continue
            }
            next = index + 1
            self.news[index] = frame
        }
    }

    /// Takes the step to the noted values. Returns false if it changes nothing. In a new life all values are new.
    mutating func takeStep(_ tags: ViewTags, isNewLife: Bool) -> Bool {
        newBytes = 0
        var isChanged = isNewLife
        for index in names.indices {
            guard let frame = news[index] else { continue }
            news[index] = nil
            let digest = tags.digest(of: frame)
            guard digests[index] != digest else { continue }
            digests[index] = digest
            frames[index] = frame
            changedAt[index] = step + 1
            newBytes += frame.size
            isChanged = true
        }
        guard isChanged else { return false }
        let previous = failure
        failure = currentFailure
        // Readers of several views know that one is gone, and get all values when it is back.
        if !isSingle, let failure, previous?.view == failure.view, !isNewLife { return false }
        step += 1
        let isBack = !isSingle && previous != nil && failure == nil
        if isBack || isNewLife { for index in changedAt.indices { changedAt[index] = step } }
        if isNewLife { lifeStep = step }
        return true
    }

    private var currentFailure: (view: String, failure: ViewFailure)? {
        for (view, frame) in zip(names, frames) {
            if case .failure(let failure)? = frame?.value, isSingle || failure.isGone { return (view, failure) }
        }
        return nil
    }

    /// The digest of all values.
    func digest(_ tags: ViewTags) -> Digest {
        tags.digest(of: names.indices.map { (names[$0], nameDigests[$0], digests[$0]) })
    }

    /// The number of bytes of all values.
    var size: Int { frames.reduce(0) { $0 + ($1?.size ?? 0) } }

    /// Returns the value of a view, or null if it has failed.
    private func bytes(of index: Int) -> [UInt8] {
        if case .success(let value) = frames[index]?.value { return value.bytes }
        return Array("null".utf8)
    }

    /// Returns the views that have changed after a step, encoded.
    func content(after step: Int) -> [UInt8] {
        if isSingle { return bytes(of: 0) }
        var writer = JSONWriter()
        writer.object { writer in
            for index in names.indices where changedAt[index] > step {
                writer.field(names[index], written: bytes(of: index))
            }
        }
        do {
            return try writer.finish()
        } catch {
            preconditionFailure("values that were written cannot be put together: \(error)")
        }
    }
}
