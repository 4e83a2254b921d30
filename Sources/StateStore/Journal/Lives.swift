/// Which versions may still be meant by one who names them. A version is named together with the epoch that it was told in; what was told before
/// something may have been lost means nothing any more, nor does what was told of a space before that was forgotten.
public struct Lives: Hashable, Sendable {
    /// How many spaces are known to have been forgotten. Of more, all that was told earlier of any means nothing any more: that is safe, and seldom.
    public static let limit = 10_000

    /// The epoch of now.
    public private(set) var epoch: Int
    /// The first epoch whose versions mean something.
    public private(set) var first: Int
    /// The same for spaces that were forgotten, by the digest of the name: the name itself is not to be kept.
    public private(set) var begun: [UInt64: Int] = [:]

    /// Lives of which nothing means anything that was told before `epoch`.
    public init(epoch: Int) {
        self.epoch = epoch
        first = epoch
    }

    /// Lives as they were.
    public init(epoch: Int, first: Int, begun: [UInt64: Int]) {
        self.epoch = epoch
        self.first = first
        self.begun = begun
    }

    /// The first epoch whose versions of a space mean something.
    public func first(of space: SpaceName) -> Int { max(first, begun[space.digest] ?? first) }

    /// What comes after a space was forgotten.
    public func forgetting(_ space: SpaceName) -> Lives {
        var next = self
        next.epoch += 1
        next.begun[space.digest] = next.epoch
        if next.begun.count > Self.limit {
            next.first = next.epoch
            next.begun = [:]
        }
        return next
    }
}
