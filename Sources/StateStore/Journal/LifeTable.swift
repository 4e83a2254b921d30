/// The versions that may still be meant by a client that names them: those of the current era that were told since
/// their space was last forgotten.
public struct LifeTable: Hashable, Sendable {
    /// The number of forgotten spaces that are remembered one by one. With one more, all tags of all spaces lose their
    /// meaning: that is safe, and seldom.
    public static let limit = 10_000

    /// The era of now.
    public let era: UInt64
    /// The number of spaces that were forgotten in this era.
    public private(set) var count: Int
    /// The first count whose versions mean something.
    public private(set) var first: Int
    /// The same for spaces that were forgotten, by the digest of the name: the name itself is not to be kept.
    public private(set) var begun: [UInt64: Int]

    /// Lives of an era, as they were or as they begin.
    public init(era: UInt64, count: Int = 0, first: Int = 0, begun: [UInt64: Int] = [:]) {
        self.era = era
        self.count = count
        self.first = first
        self.begun = begun
    }

    /// The life that tags are told in now.
    public var now: Life { Life(era: era, count: count) }

    /// The life in which a space began.
    public func life(of space: SpaceName) -> Life { Life(era: era, count: max(first, begun[space.digest] ?? first)) }

    /// Returns true if versions of a space that were told in a life still mean the same.
    public func isGood(_ life: Life, for space: SpaceName) -> Bool {
        life.era == era && life.count >= self.life(of: space).count && life.count <= count
    }

    /// The lives after a space was forgotten.
    public func forgetting(_ space: SpaceName) -> LifeTable {
        var next = self
        next.count += 1
        next.begun[space.digest] = next.count
        if next.begun.count > Self.limit {
            next.first = next.count
            next.begun = [:]
        }
        return next
    }
}
