import Expressions
import JSON
import Reactive
import StateModel

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

    /// Returns the words of each field of a row. A field without a text has none.
    func words(_ key: String, _ row: JSON, in frame: RowFrame) -> [Set<String>] {
        fields.map { field in
            guard case .string(let text)? = try? frame.evaluate(field, key, row, nil) else { return [] }
            return Set(PlainText.searchWords(text))
        }
    }
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

    /// Returns the number of words in each field; nil for a row that has not all of them.
    func ranks(_ fields: [Set<String>]) -> [Int]? {
        let all = fields.reduce(into: Set<String>()) { $0.formUnion($1) }
        guard wanted.full.allSatisfy(all.contains), has(wanted.prefix, all) else { return nil }
        return fields.map { field in
            wanted.full.count { field.contains($0) } + (wanted.prefix != nil && has(wanted.prefix, field) ? 1 : 0)
        }
    }

    private func has(_ prefix: String?, _ words: Set<String>) -> Bool {
        guard let prefix else { return true }
        return words.contains(prefix) || words.contains { $0.utf8.starts(with: prefix.utf8) }
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
        index = WordIndex(of: table) { key, row in
            search.words(key, row.value, in: frame).reduce(into: []) { $0.formUnion($1) }
        }
    }

    /// The rows that have some words.
    func rows(_ words: SearchWords) -> Rows<String, DescribedRow> {
        index.rows(words.wanted) { [self] key, row in ranks(key, row.value, words) != nil }
    }

    /// Returns the number of words in each field; nil for a row that has not all of them.
    func ranks(_ key: String, _ row: JSON, _ words: SearchWords) -> [Int]? {
        words.ranks(search.words(key, row, in: frame))
    }
}
