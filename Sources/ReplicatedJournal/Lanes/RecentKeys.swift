internal import SQLiteJournal
internal import StateStore

/// The idempotency keys that nodes have made, in the last entries of a lane that this process has applied.
///
/// Such a key names an entry that comes before its commit (`NodeKey`). So the owner knows without a search that a forwarded
/// action is new: if it has applied all later entries itself, and none has the key. A client can send a key of this form
/// that names a later entry: if one is stored, keys that name entries up to that one are searched for.
struct RecentKeys {
    /// The maximum number of keys.
    private static let limit = 4_096

    /// Keys that name this entry or a later one are known.
    private var start: Int
    /// The digests of the keys of each entry that has some, in order.
    private var entries: [(number: Int, digests: [Int])] = []
    /// The last entry that has a key, by the digest of the key.
    private var numbers: [Int: Int] = [:]

    /// The keys after an entry, before others are applied.
    init(after start: Int) {
        self.start = start
    }

    /// Takes the keys of the commits in an entry.
    mutating func take(_ commits: [CommitRecord], entry number: Int) {
        var digests: [Int] = []
        for key in commits.lazy.compactMap({ $0.idempotency?.key }) {
            guard let named = NodeKey.entry(in: key) else { continue }
            if named >= number { start = max(start, min(named, .max - 1) + 1) }
            digests.append(key.hashValue)
            numbers[key.hashValue] = number
        }
        guard !digests.isEmpty else { return }
        entries.append((number, digests))
        var dropped = 0
        while dropped < entries.count, number - entries[dropped].number >= NodeKey.reach || numbers.count > Self.limit {
            let entry = entries[dropped]
            for digest in entry.digests where numbers[digest] == entry.number { numbers[digest] = nil }
            start = max(start, entry.number)
            dropped += 1
        }
        entries.removeFirst(dropped)
    }

    /// Returns false if no entry that was applied has a key.
    func mayHave(_ key: String) -> Bool {
        guard let named = NodeKey.entry(in: key), named >= start, named < .max else { return true }
        return numbers[key.hashValue] != nil
    }
}
