/// An entry as the log stores it.
public struct StoredEntry: Hashable, Sendable {
    /// The number in its lane. The first entry has the number 1.
    public let number: Int
    /// The bytes.
    public let bytes: [UInt8]

    /// A stored entry.
    public init(number: Int, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }
}

/// The stored part of a lane.
public struct LaneExtent: Hashable, Sendable {
    /// The identity of the lane's storage, such as the time at which its stream was created. Storage that was made anew
    /// has another.
    public let identity: String
    /// The number of the oldest stored entry; `last + 1` if none is stored.
    public let first: Int
    /// The number of the newest entry that was ever stored; 0 before the first.
    public let last: Int

    /// An extent.
    public init(identity: String, first: Int, last: Int) {
        self.identity = identity
        self.first = first
        self.last = last
    }
}
