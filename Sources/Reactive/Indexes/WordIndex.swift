/// A full-text index of the rows of a table: the keys of the rows by their words.
///
/// It is made when it is first read. Then it follows the table: a changed row costs its words, each in O(log n) of the
/// number of distinct words.
package final class WordIndex<Key: Hashable & Comparable, Row: Equatable>: TableFollower<Key, Row> {
    /// The words that a row has, all of `full` and one that begins with `prefix`.
    package struct Wanted: Sendable {
        package let full: [String]
        /// The beginning of a word; nil for none.
        package let prefix: String?

        package init(full: [String], prefix: String?) { (self.full, self.prefix) = (full, prefix) }
    }

    /// A write of the open transaction.
    private struct RowWrite {
        let key: Key
        let old: Row?
        let new: Row?
    }

    private let words: (Key, Row) -> Set<String>
    private weak var table: ReadableTable<Key, Row>?
    private var isBuilt = false
    private var keys: [String: Set<Key>] = [:]
    /// The distinct words, in the order of their bytes.
    private var sorted = ListTree<Unmeasured<String>>()
    /// The number of pairs of a word and a row, and of the bytes of the distinct words.
    private var pairsCount = 0
    private var wordBytes = 0
    /// The writes of the open transaction. Views read the rows that it keeps.
    private var writes: [RowWrite] = []
    private var isCleared = false

    /// An index of a table by the words of its rows.
    package init(of table: ReadableTable<Key, Row>, words: @escaping (Key, Row) -> Set<String>) {
        (self.table, self.words) = (table, words)
        super.init()
    }

    package override var bytes: Int { pairsCount * 40 + 2 * wordBytes + keys.count * 96 }

    package override func detach() {
        table?.followers.removeAll { $0 === self }
        forget()
        table = nil
    }

    @usableFromInline
    package override func forget() {
        (keys, sorted, pairsCount, wordBytes) = ([:], ListTree(), 0, 0)
        discard()
        guard isBuilt else { return }
        isBuilt = false
        table?.followers.removeAll { $0 === self }
    }

    // MARK: Rows

    private func buildIfNeeded() {
        guard !isBuilt, let table else { return }
        isBuilt = true
        for (key, row) in table.rows {
            for word in words(key, row) {
                keys[word, default: []].insert(key)
                pairsCount += 1
            }
        }
        wordBytes = keys.keys.reduce(0) { $0 + $1.utf8.count }
        sorted = ListTree(keys.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        table.followers.append(self)
        guard table.isWritten else { return }
        if table.isCleared {
            noteClear()
            for (key, row) in table.written { note(key, old: nil, new: row) }
        } else {
            for key in table.order { note(key, old: table.rows[key], new: table.written[key] ?? nil) }
        }
    }

    @usableFromInline
    package override func note(_ key: Key, old: Row?, new: Row?) {
        writes.append(RowWrite(key: key, old: old, new: new))
    }

    @usableFromInline
    package override func noteClear() { (writes, isCleared) = ([], true) }

    @usableFromInline
    package override func keep() {
        if isCleared { (keys, sorted, pairsCount, wordBytes) = ([:], ListTree(), 0, 0) }
        for write in writes {
            let old = write.old.map { words(write.key, $0) } ?? []
            let new = write.new.map { words(write.key, $0) } ?? []
            for word in old.subtracting(new) { remove(write.key, from: word) }
            for word in new.subtracting(old) { add(write.key, to: word) }
        }
        discard()
    }

    @usableFromInline
    package override func discard() { (writes, isCleared) = ([], false) }

    private func add(_ key: Key, to word: String) {
        if keys[word] == nil {
            sorted.insert(word, at: place(of: word))
            wordBytes += word.utf8.count
        }
        if keys[word, default: []].insert(key).inserted { pairsCount += 1 }
    }

    private func remove(_ key: Key, from word: String) {
        guard keys[word]?.remove(key) != nil else { return }
        pairsCount -= 1
        guard keys[word]?.isEmpty == true else { return }
        keys[word] = nil
        sorted.remove(at: place(of: word))
        wordBytes -= word.utf8.count
    }

    private func place(of word: String) -> Int {
        sorted.partition { $0.utf8.lexicographicallyPrecedes(word.utf8) }
    }

    // MARK: Reading

    /// Returns the keys of the rows that may have the wanted words: those of the rarest of them.
    private func candidates(_ wanted: Wanted) -> Set<Key> {
        var best: Set<Key>?
        for word in wanted.full {
            let own = keys[word] ?? []
            if own.count < best?.count ?? .max { best = own }
        }
        guard let prefix = wanted.prefix else { return best ?? [] }
        let first = place(of: prefix)
        var end = first
        var count = 0
        while end < sorted.count, sorted[end].utf8.starts(with: prefix.utf8) {
            count += keys[sorted[end]]?.count ?? 0
            // The rows of a full word are fewer.
            if let best, count >= best.count { return best }
            end += 1
        }
        return sorted.elements(in: first..<end).reduce(into: []) { $0.formUnion(keys[$1] ?? []) }
    }

    /// The rows that have some words, as `isMatch` says. A turn tests the rows that changed.
    package func rows(_ wanted: Wanted, isMatch: @escaping (Key, Row) -> Bool) -> Rows<Key, Row> {
        Rows<Key, Row>(madeBy: "search") { [self] node in
            let rows = unsafe unsafeDowncast(node, to: Rows<Key, Row>.self)
            rows.rows = [:]
            rows.undo = { [unowned rows] in rows.rows = [:] }
            guard let table else { return rows.take([]) }
            buildIfNeeded()
            rows.listen(to: table, wantsReplay: false) { [unowned rows] changes in
                rows.take(
                    changes.entries.map { ($0.key, $0.new.flatMap { [key = $0.key] in isMatch(key, $0) ? $0 : nil }) })
            }
            rows.take(
                candidates(wanted).compactMap { key in
                    table.rows[key].flatMap { isMatch(key, $0) ? (key: key, row: $0) : nil }
                })
        }
    }

    /// Checks that the index has the words of each row, and no others.
    package func checkInvariants() {
        guard isBuilt, let table else { return }
        var expected: [String: Set<Key>] = [:]
        for (key, row) in table.rows { for word in words(key, row) { expected[word, default: []].insert(key) } }
        precondition(keys == expected, "a full-text index has other words than its rows")
        let inOrder = expected.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        precondition(sorted.elements(in: 0..<sorted.count) == inOrder, "the words of an index are in another order")
        precondition(pairsCount == expected.values.reduce(0) { $0 + $1.count }, "an index counts its words wrongly")
        precondition(writes.isEmpty && !isCleared, "an index has writes after their transaction")
    }
}
