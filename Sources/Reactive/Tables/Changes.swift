/// What became of some entries of a table in one turn.
public struct Changes<Key: Hashable, Row> {
    /// What became of one entry.
    public struct Entry {
        /// Its key.
        public let key: Key
        /// The row before; nil for an entry that came.
        public let old: Row?
        /// The row after; nil for an entry that went.
        public let new: Row?

        /// An entry that was one thing and is another.
        @inlinable
        public init(key: Key, old: Row?, new: Row?) {
            self.key = key
            self.old = old
            self.new = new
        }
    }

    /// The entries that changed, each once.
    public let entries: [Entry]

    /// Changes.
    @inlinable
    public init(_ entries: [Entry]) {
        self.entries = entries
    }
}
