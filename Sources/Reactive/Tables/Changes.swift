/// The changes to entries of a table in one turn.
public struct Changes<Key: Hashable, Row> {
    /// The change of one entry.
    public struct Entry {
        /// The key of the entry.
        public let key: Key
        /// The old row; nil for an inserted entry.
        public let old: Row?
        /// The new row; nil for a removed entry.
        public let new: Row?

        /// Creates a change from an old row to a new row.
        @inlinable
        public init(key: Key, old: Row?, new: Row?) {
            self.key = key
            self.old = old
            self.new = new
        }
    }

    /// The changed entries, each once.
    public let entries: [Entry]

    /// Creates changes from entries.
    @inlinable
    public init(_ entries: [Entry]) {
        self.entries = entries
    }
}
