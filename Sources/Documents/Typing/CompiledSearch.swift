import Expressions
import JSON
import Reactive
import StateStore

/// A full-text index of a table, compiled. It never changes, and all spaces share it.
final class CompiledSearch: Sendable {
    let name: String
    let pointer: JSONPointer
    /// The table, by its place in the state.
    let table: Int
    /// The texts that are searched, the most important first.
    let fields: [CompiledFormula]

    init(_ name: String, at pointer: JSONPointer, of table: Int, _ fields: [CompiledFormula]) {
        (self.name, self.pointer, self.table, self.fields) = (name, pointer, table, fields)
    }

    /// Returns the words of a row, with the fields that have them. A field without a text has none.
    func words(_ key: String, _ row: JSON, in frame: RowFrame) -> SearchWords.Index.Words {
        var words: SearchWords.Index.Words = [:]
        for (place, field) in fields.enumerated() {
            guard case .string(let text)? = try? frame.evaluate(field, key, row, nil) else { continue }
            for word in PlainText.searchWords(text) { words[word, default: 0] |= 1 << UInt8(place) }
        }
        return words
    }

    /// The definition of the order of the rows by key.
    final class KeyOrder: Sendable {}
    let keyOrder = KeyOrder()
}

/// The words for which one view searches.
struct SearchWords {
    typealias Index = WordIndex<String, DescribedRow>

    let wanted: Index.Wanted

    /// The words of a text, of which the last is a beginning; nil if it has none.
    init?(_ text: String) {
        let all = PlainText.searchWords(text)
        guard let last = all.last else { return nil }
        var seen: Set<String> = []
        let full = all.dropLast().filter { seen.insert($0).inserted }
        // A word that stands twice is there as a whole.
        wanted = .init(full: full, prefix: seen.contains(last) ? nil : last)
    }

    /// Returns the number of words in each of some fields; nil for a row that has not all of them.
    func ranks(_ words: Index.Words, fields count: Int) -> [Int]? {
        var all: [UInt8] = []
        for word in wanted.full {
            guard let fields = words[word] else { return nil }
            all.append(fields)
        }
        if let prefix = wanted.prefix {
            let fields = words.reduce(0) { $1.key.utf8.starts(with: prefix.utf8) ? $0 | $1.value : $0 }
            guard fields != 0 else { return nil }
            all.append(fields)
        }
        return (0..<count).map { place in all.count { $0 >> UInt8(place) & 1 == 1 } }
    }
}

/// The full-text index of one table in one space.
final class SearchRows {
    let search: CompiledSearch
    let index: SearchWords.Index
    private let frame: RowFrame

    init(_ search: CompiledSearch, of table: ReadableTable<String, DescribedRow>) {
        let frame = RowFrame(Array(repeating: .json(.null), count: NamePlace.count))
        (self.search, self.frame) = (search, frame)
        index = WordIndex(of: table) { key, row in search.words(key, row.value, in: frame) }
    }

    /// The rows that have some words.
    func rows(_ words: SearchWords) -> Rows<String, DescribedRow> {
        index.rows(words.wanted) { [self] key, row in ranks(key, row.value, words) != nil }
    }

    /// The first rows that have some words, in the order of a view.
    func best(_ words: SearchWords, _ best: SearchWords.Index.BestRows) -> Rows<String, DescribedRow> {
        index.best(words.wanted, best) { [self] key, row in ranks(key, row.value, words) != nil }
    }

    /// Returns the number of words in each field; nil for a row that has not all of them.
    func ranks(_ key: String, _ row: JSON, _ words: SearchWords) -> [Int]? {
        words.ranks(search.words(key, row, in: frame), fields: search.fields.count)
    }
}
