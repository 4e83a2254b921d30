/// A full-text index of the rows of a table: the rows by their words, each with the texts of the row that have the word.
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

    /// The words of a row. The bits of each are the texts that have it, the lowest for the most important text.
    package typealias Words = [String: UInt8]

    /// A write of the open transaction.
    private struct RowWrite {
        let key: Key
        let old: Row?
        let new: Row?
    }

    private let words: (Key, Row) -> Words
    private weak var table: ReadableTable<Key, Row>?
    private var isBuilt = false
    /// The numbers of the rows that have words, and their keys. A number that is free has no key.
    private var numbers: [Key: UInt32] = [:]
    private var keysByNumber: [Key?] = []
    private var free: [UInt32] = []
    /// The rows of each word by their numbers.
    private var rowsByWord: [String: [UInt32: UInt8]] = [:]
    /// The distinct words, in the order of their bytes.
    private var sorted = ListTree<Unmeasured<String>>()
    /// The number of pairs of a word and a row, and of the bytes of the distinct words.
    private var pairsCount = 0
    private var wordBytes = 0
    /// The writes of the open transaction. Views read the rows that it keeps.
    private var writes: [RowWrite] = []
    private var isCleared = false

    /// An index of a table by the words of its rows.
    package init(of table: ReadableTable<Key, Row>, words: @escaping (Key, Row) -> Words) {
        (self.table, self.words) = (table, words)
        super.init()
    }

    package override var bytes: Int {
        pairsCount * 12 + 2 * wordBytes + rowsByWord.count * 128 + keysByNumber.count * 72
    }

    package override func detach() {
        table?.followers.removeAll { $0 === self }
        forget()
        table = nil
    }

    @usableFromInline
    package override func forget() {
        empty()
        discard()
        guard isBuilt || stopSlices() else { return }
        isBuilt = false
        table?.followers.removeAll { $0 === self }
    }

    private func empty() {
        (rowsByWord, sorted, pairsCount, wordBytes) = ([:], ListTree(), 0, 0)
        (numbers, keysByNumber, free) = ([:], [], [])
    }

    // MARK: Rows

    @usableFromInline package override var followed: ReadableTable<Key, Row>? { table }
    @usableFromInline package override var hasAllRows: Bool { isBuilt }
    @usableFromInline package override func noteComplete() { isBuilt = true }

    @usableFromInline
    package override func take(_ rows: [(key: Key, row: Row)]) {
        for (key, row) in rows {
            let words = words(key, row)
            guard !words.isEmpty else { continue }
            let number = number(of: key)
            for (word, texts) in words { add(number, texts, to: word) }
        }
    }

    @usableFromInline
    package override func buildIfNeeded() {
        guard !isBuilt, let table else { return }
        isBuilt = true
        empty()
        discard()
        for (key, row) in table.rows {
            let words = words(key, row)
            guard !words.isEmpty else { continue }
            let number = number(of: key)
            for (word, texts) in words {
                rowsByWord[word, default: [:]][number] = texts
                pairsCount += 1
            }
        }
        wordBytes = rowsByWord.keys.reduce(0) { $0 + $1.utf8.count }
        sorted = ListTree(rowsByWord.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        if !stopSlices() { table.followers.append(self) }
        guard table.isWritten else { return }
        if table.isCleared {
            noteClear()
            for (key, row) in table.written { note(key, old: nil, new: row) }
        } else {
            for key in table.order { note(key, old: table.rows[key], new: table.written[key] ?? nil) }
        }
    }

    /// Returns the number of a row, which gets one if it has none.
    private func number(of key: Key) -> UInt32 {
        if let number = numbers[key] { return number }
        let number = free.popLast() ?? UInt32(keysByNumber.count)
        if Int(number) == keysByNumber.count { keysByNumber.append(key) } else { keysByNumber[Int(number)] = key }
        numbers[key] = number
        return number
    }

    @usableFromInline
    package override func note(_ key: Key, old: Row?, new: Row?) {
        guard follows(key, old: old) else { return }
        writes.append(RowWrite(key: key, old: old, new: new))
    }

    @usableFromInline
    package override func noteClear() { (writes, isCleared) = ([], true) }

    @usableFromInline
    package override func keep() {
        if isCleared { empty() }
        for write in writes {
            let old = write.old.map { words(write.key, $0) } ?? [:]
            let new = write.new.map { words(write.key, $0) } ?? [:]
            guard old != new else { continue }
            let number = number(of: write.key)
            for word in old.keys where new[word] == nil { remove(number, from: word) }
            for (word, texts) in new where old[word] != texts { add(number, texts, to: word) }
            guard new.isEmpty else { continue }
            numbers[write.key] = nil
            keysByNumber[Int(number)] = nil
            free.append(number)
        }
        discard()
    }

    @usableFromInline
    package override func discard() { (writes, isCleared) = ([], false) }

    private func add(_ number: UInt32, _ texts: UInt8, to word: String) {
        if rowsByWord[word] == nil {
            sorted.insert(word, at: place(of: word))
            wordBytes += word.utf8.count
        }
        if rowsByWord[word, default: [:]].updateValue(texts, forKey: number) == nil { pairsCount += 1 }
    }

    private func remove(_ number: UInt32, from word: String) {
        guard rowsByWord[word]?.removeValue(forKey: number) != nil else { return }
        pairsCount -= 1
        guard rowsByWord[word]?.isEmpty == true else { return }
        rowsByWord[word] = nil
        sorted.remove(at: place(of: word))
        wordBytes -= word.utf8.count
    }

    private func place(of word: String) -> Int {
        sorted.partition { $0.utf8.lexicographicallyPrecedes(word.utf8) }
    }

    // MARK: Reading

    /// Returns the rows of each word that begins with a text.
    private func rows(ofPrefix prefix: String) -> [[UInt32: UInt8]] {
        let first = place(of: prefix)
        var end = first
        while end < sorted.count, sorted[end].utf8.starts(with: prefix.utf8) { end += 1 }
        return sorted.elements(in: first..<end).compactMap { rowsByWord[$0] }
    }

    /// Returns the numbers of the rows that have the wanted words, each with its rank: for each text, a byte with the
    /// number of wanted words that it has, the highest for the most important text.
    private func ranked(_ wanted: Wanted) -> [(number: UInt32, rank: UInt64)] {
        var full: [[UInt32: UInt8]] = []
        for word in wanted.full {
            guard let rows = rowsByWord[word] else { return [] }
            full.append(rows)
        }
        full.sort { $0.count < $1.count }
        let begun = wanted.prefix.map { rows(ofPrefix: $0) }
        guard let rarest = full.first else {
            guard let begun, let first = begun.first else { return [] }
            if begun.count == 1 { return first.map { ($0.key, SearchRank.spread($0.value)) } }
            let (texts, numbers) = union(of: begun)
            return numbers.map { ($0, SearchRank.spread(texts[Int($0)])) }
        }
        var found: [(number: UInt32, rank: UInt64)] = []
        found.reserveCapacity(rarest.count)
        candidates: for (number, texts) in rarest {
            var rank = SearchRank.spread(texts)
            for others in full.dropFirst() {
                guard let texts = others[number] else { continue candidates }
                rank = SearchRank.sum(rank, SearchRank.spread(texts))
            }
            found.append((number, rank))
        }
        guard let begun else { return found }
        if begun.count == 1 {
            return found.compactMap { candidate in
                begun[0][candidate.number].map {
                    (candidate.number, SearchRank.sum(candidate.rank, SearchRank.spread($0)))
                }
            }
        }
        let (texts, _) = union(of: begun)
        return found.compactMap { candidate in
            let own = texts[Int(candidate.number)]
            return own == 0
                ? nil : (candidate.number, SearchRank.sum(candidate.rank, SearchRank.spread(own)))
        }
    }

    /// Returns the texts of each row that is among the rows of some words, by number, and the numbers of these rows.
    private func union(of rows: [[UInt32: UInt8]]) -> (texts: [UInt8], numbers: [UInt32]) {
        var texts = [UInt8](repeating: 0, count: keysByNumber.count)
        var numbers: [UInt32] = []
        for own in rows {
            for (number, bits) in own {
                if texts[Int(number)] == 0 { numbers.append(number) }
                texts[Int(number)] |= bits
            }
        }
        return (texts, numbers)
    }

    /// The rows that have some words, as `isMatch` says. A turn tests the rows that changed.
    package func rows(_ wanted: Wanted, isMatch: @escaping (Key, Row) -> Bool) -> Rows<Key, Row> {
        Rows<Key, Row>(madeBy: "search") { [self] node in
            let rows = unsafe unsafeDowncast(node, to: Rows<Key, Row>.self)
            rows.rows = [:]
            rows.undo = { [unowned rows] in rows.rows = [:] }
            guard let table else { return rows.take([]) }
            rows.listen(to: table, wantsReplay: false) { [unowned rows] changes in
                guard rows.latest != nil else { return }
                rows.take(
                    changes.entries.map { ($0.key, $0.new.flatMap { [key = $0.key] in isMatch(key, $0) ? $0 : nil }) })
            }
            whenBuilt(for: rows) { [unowned rows, self] in
                rows.take(
                    ranked(wanted).compactMap { found in
                        keysByNumber[Int(found.number)].flatMap { key in table.rows[key].map { (key: key, row: $0) } }
                    })
            }
        }
    }

    // MARK: The best rows

    /// The choice of the best rows of a search.
    package struct BestRows {
        /// The number of rows.
        package let limit: Int
        /// The order of rows of the same rank: an index of all rows in one group.
        package let order: TableIndex<Key, Row>
        /// The groups of an index that has all rows that count; nil for all rows.
        package let groups: (index: TableIndex<Key, Row>, groups: [[UInt8]])?
        /// Returns true if a row with the words counts.
        package let counts: (Key, Row) -> Bool

        package init(
            limit: Int, order: TableIndex<Key, Row>, groups: (index: TableIndex<Key, Row>, groups: [[UInt8]])?,
            counts: @escaping (Key, Row) -> Bool
        ) {
            (self.limit, self.order, self.groups, self.counts) = (limit, order, groups, counts)
        }

        /// Calls `ready` when the indexes have all rows, for a node that starts.
        fileprivate func whenBuilt(for node: Node, _ ready: @escaping () -> Void) {
            order.whenBuilt(for: node) {
                guard let groups else { return ready() }
                groups.index.whenBuilt(for: node, ready)
            }
        }
    }

    /// The greatest number of rows of one rank that are put in order; more are found along the order.
    private static var sortedLimit: Int { 512 }

    /// The best rows that have some words: by the numbers of words in the texts, then by an order, then by key. A turn in
    /// which a row with the words changes chooses anew; `isMatch` says whether a row has them.
    package func best(
        _ wanted: Wanted, _ best: BestRows, isMatch: @escaping (Key, Row) -> Bool
    ) -> Rows<Key, Row> {
        Rows<Key, Row>(madeBy: "search") { [self] node in
            let rows = unsafe unsafeDowncast(node, to: Rows<Key, Row>.self)
            rows.rows = [:]
            rows.undo = { [unowned rows] in rows.rows = [:] }
            guard let table else { return rows.take([]) }
            rows.listen(to: table, wantsReplay: false) { [unowned rows, self] changes in
                let isTouched = changes.entries.contains { entry in
                    entry.old.map { isMatch(entry.key, $0) } ?? false
                        || entry.new.map { isMatch(entry.key, $0) } ?? false
                }
                guard isTouched, rows.latest != nil else { return }
                let new = choose(wanted, best, table)
                let keys = Set(new.map(\.key))
                let gone: [(key: Key, row: Row?)] = rows.rows.keys.filter { !keys.contains($0) }.map { ($0, nil) }
                rows.take(gone + new)
            }
            whenBuilt(for: rows) { [unowned rows, self] in
                best.whenBuilt(for: rows) { rows.take(self.choose(wanted, best, table)) }
            }
        }
    }

    private func choose(
        _ wanted: Wanted, _ best: BestRows, _ table: ReadableTable<Key, Row>
    ) -> [(key: Key, row: Row?)] {
        var buckets: [UInt64: [UInt32]] = [:]
        for found in within(best.groups, ranked(wanted)) { buckets[found.rank, default: []].append(found.number) }
        var chosen: [(key: Key, row: Row?)] = []
        for rank in buckets.keys.sorted(by: >) where chosen.count < best.limit {
            let numbers = buckets[rank] ?? []
            // A row without a place in the order is found by a look at each.
            if numbers.count > Self.sortedLimit, best.order.keptEntries.count == table.rows.count {
                walk(numbers, best, table, into: &chosen)
            } else {
                sort(numbers, best, table, into: &chosen)
            }
        }
        return chosen
    }

    /// Returns the found rows that are in some groups of an index.
    private func within(
        _ groups: (index: TableIndex<Key, Row>, groups: [[UInt8]])?, _ found: [(number: UInt32, rank: UInt64)]
    ) -> [(number: UInt32, rank: UInt64)] {
        guard let groups else { return found }
        let tree = groups.index.keptEntries
        let ranges = groups.groups.map { TableIndex<Key, Row>.range(of: $0, in: tree) }
        guard ranges.reduce(0, { $0 + $1.count }) < found.count else { return found }
        let ranks = Dictionary(found.map { ($0.number, $0.rank) }, uniquingKeysWith: { first, _ in first })
        return ranges.flatMap { range in
            tree.elements(in: range).compactMap { entry in
                numbers[entry.key].flatMap { number in ranks[number].map { (number, $0) } }
            }
        }
    }

    /// Adds the rows of one rank that count, each after a look at all.
    private func sort(
        _ numbers: [UInt32], _ best: BestRows, _ table: ReadableTable<Key, Row>,
        into chosen: inout [(key: Key, row: Row?)]
    ) {
        var entries: [(entry: IndexEntry<Key>, row: Row)] = []
        for number in numbers {
            guard let key = keysByNumber[Int(number)], let row = table.rows[key], best.counts(key, row) else {
                continue
            }
            entries.append((IndexEntry(best.order.place(key, row) ?? IndexPlace([], groupLength: 0), key), row))
        }
        entries.sort { $0.entry.precedes($1.entry) }
        for found in entries.prefix(best.limit - chosen.count) { chosen.append((found.entry.key, found.row)) }
    }

    /// Adds the rows of one rank that count, along the order.
    private func walk(
        _ wanted: [UInt32], _ best: BestRows, _ table: ReadableTable<Key, Row>,
        into chosen: inout [(key: Key, row: Row?)]
    ) {
        var isWanted = [Bool](repeating: false, count: keysByNumber.count)
        for number in wanted { isWanted[Int(number)] = true }
        var left = wanted.count
        let tree = best.order.keptEntries
        var start = 0
        while start < tree.count, left > 0, chosen.count < best.limit {
            for entry in tree.elements(in: start..<min(start + 256, tree.count)) where chosen.count < best.limit {
                guard let number = numbers[entry.key], isWanted[Int(number)] else { continue }
                left -= 1
                if let row = table.rows[entry.key], best.counts(entry.key, row) { chosen.append((entry.key, row)) }
            }
            start += 256
        }
    }

    /// Checks that the index has the words of each row, and no others.
    package func checkInvariants() {
        guard isBuilt, let table else { return }
        var expected: [String: [Key: UInt8]] = [:]
        var count = 0
        for (key, row) in table.rows {
            let words = words(key, row)
            for (word, texts) in words { expected[word, default: [:]][key] = texts }
            if !words.isEmpty { count += 1 }
        }
        let found = rowsByWord.mapValues { rows in
            Dictionary(rows.compactMap { row in keysByNumber[Int(row.key)].map { ($0, row.value) } }) { one, _ in one }
        }
        precondition(found == expected, "a full-text index has other words than its rows")
        let inOrder = expected.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        precondition(sorted.elements(in: 0..<sorted.count) == inOrder, "the words of an index are in another order")
        precondition(pairsCount == expected.values.reduce(0) { $0 + $1.count }, "an index counts its words wrongly")
        precondition(
            numbers.count == count && keysByNumber.count == count + free.count, "an index has numbers of other rows")
        precondition(writes.isEmpty && !isCleared, "an index has writes after their transaction")
    }
}

/// Ranks of found rows: for each of eight texts a byte with the number of wanted words, the highest for the first text.
enum SearchRank {
    /// The rank of one word that some texts have.
    static func spread(_ texts: UInt8) -> UInt64 {
        var rank: UInt64 = 0
        var bits = texts
        while bits != 0 {
            rank |= 1 << UInt64(56 - 8 * bits.trailingZeroBitCount)
            bits &= bits - 1
        }
        return rank
    }

    /// The rank of two sets of words. Each text counts 255 words at most.
    static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let sum = one &+ other
        // No byte of a single word is above 1, so a byte that is full would overflow into the next one.
        let isFull = stride(from: 0, to: 64, by: 8).contains {
            (one >> UInt64($0)) & 0xFF == 0xFF && (other >> UInt64($0)) & 0xFF > 0
        }
        return isFull ? one : sum
    }
}
