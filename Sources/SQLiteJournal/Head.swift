internal import StateStore

/// What is known of a space while it is in use.
struct Head {
    let id: Int
    /// Its newest commit.
    var version: Int
    /// The version that its rows in `state` make.
    var snapshot: Int
    /// Commits after this version are kept.
    var oldest: Int
    /// Whether its newest commit left work.
    var hasWork = false
    /// How much was appended since the snapshot, as far as that was seen.
    var tailBytes = 0

    /// The sum of a row of `spaces`.
    static func sum(_ id: Int, _ name: String) -> Int {
        var sum = Checksum()
        sum.add(id)
        sum.add(Array(name.utf8))
        return sum.value
    }
}

/// The heads of the spaces that were used last. What falls out is read again when it is needed.
struct Heads {
    /// Two generations of this many at most, of some hundred bytes each.
    static let limit = 16_384

    private var young: [SpaceName: Head] = [:]
    private var old: [SpaceName: Head] = [:]

    /// The head of a space that is in use.
    subscript(space: SpaceName) -> Head? {
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

    /// Forgets all of them, because what they say may not be what is kept.
    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
