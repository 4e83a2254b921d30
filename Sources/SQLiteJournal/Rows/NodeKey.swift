/// An idempotency key that a node of a cluster has made for an action, because the client has sent none.
///
/// It names the newest entry of the lane that the node had applied. The commit is in one of the next entries, so copies
/// find its answer among those of few entries, and need no index of all keys.
package enum NodeKey {
    private static let prefix = "node1."
    /// The number of entries after the named one whose answers are stored by entry. Later answers are stored by key. A
    /// commit is mostly in the next two or three, and a search reads all of them.
    package static let reach = 64

    /// Returns a new key of an action that a node begins after it has applied an entry.
    package static func text(after entry: Int) -> String {
        "\(prefix)\(entry).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// The number of the entry that a key names; nil for any other key.
    package static func entry(in key: String) -> Int? {
        let key = key.utf8
        guard key.starts(with: prefix.utf8) else { return nil }
        let rest = key.dropFirst(prefix.utf8.count)
        guard let end = rest.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return Int(Substring(rest[..<end])).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns true if the answer to a key of a commit is stored with those of its entry.
    static func isStored(_ key: String, with entry: Int) -> Bool {
        guard let named = Self.entry(in: key) else { return false }
        return named < entry && entry - named <= reach
    }
}
