/// An entry as the log stores it.
package struct StoredEntry: Hashable, Sendable {
    /// The number in its lane. The first entry has the number 1.
    package let number: Int
    /// The bytes.
    package let bytes: [UInt8]

    /// A stored entry.
    package init(number: Int, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }
}

/// The stored part of a lane.
package struct LaneExtent: Hashable, Sendable {
    /// The identity of the lane's storage, such as the time at which its stream was created. Storage that was made anew
    /// has another.
    package let identity: String
    /// The number of the oldest stored entry; `last + 1` if none is stored.
    package let first: Int
    /// The number of the newest entry that was ever stored; 0 before the first.
    package let last: Int

    /// An extent.
    package init(identity: String, first: Int, last: Int) {
        self.identity = identity
        self.first = first
        self.last = last
    }
}
