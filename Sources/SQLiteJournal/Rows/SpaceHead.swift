internal import StateStore

/// The versions of a space.
struct SpaceHead {
    let id: Int
    /// The newest commit.
    var version: Int
    /// The version of its rows in `state`.
    var snapshot: Int
    /// The version after which commits are stored.
    var oldest: Int
    /// The version from which the rows of `state` and `past` have every state. It is after `oldest` only if an older
    /// program has made the snapshot.
    var past: Int
    /// The earliest alarm, in microseconds since 1970; nil for none.
    var alarm: Int?
    /// True if its newest commit left work for effects.
    var hasWork = false
    /// The bytes that this process has appended since the snapshot.
    var tailBytes = 0

    /// The version of the oldest state that can be read. If all commits are stored, they make each state.
    var oldestState: Int { oldest == 0 ? 0 : max(oldest, past) }

    /// The sum of a row of `spaces`.
    static func sum(_ id: Int, _ name: String) -> Int {
        var sum = Checksum()
        sum.add(id)
        sum.add(Array(name.utf8))
        return sum.value
    }

    /// The sum of a row of `alarms`.
    static func sum(ofAlarm at: Int, of space: Int) -> Int {
        var sum = Checksum()
        sum.add(space)
        sum.add(at)
        return sum.value
    }
}

/// A cache of the heads of recently used spaces, in two generations.
struct SpaceHeads {
    /// The maximum number of heads in one generation. A head takes about 100 bytes.
    static let limit = 16_384

    private var young: [SpaceName: SpaceHead] = [:]
    private var old: [SpaceName: SpaceHead] = [:]

    /// The head of a space; nil if it is not in the cache.
    subscript(space: SpaceName) -> SpaceHead? {
        mutating get {
            if let head = young[space] { return head }
            guard let head = old.removeValue(forKey: space) else { return nil }
            self[space] = head
            return head
        }
        set {
            young[space] = newValue
            if newValue == nil { old[space] = nil }
            if young.count >= Self.limit {
                old = young
                young = [:]
            }
        }
    }

    /// Empties the cache, because its heads may differ from the database.
    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
