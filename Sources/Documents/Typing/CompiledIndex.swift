import Expressions
import JSON
import Reactive
import StateModel

/// An index of a table, compiled. It never changes, and all spaces share it.
final class CompiledIndex: Sendable {
    /// The name, or a text for an index that no table declares.
    let name: String
    let pointer: JSONPointer
    let by: [CompiledFormula]
    let sort: [(formula: CompiledFormula, isFalling: Bool)]
    let condition: CompiledFormula?
    let isUnique: Bool

    init(
        _ name: String, at pointer: JSONPointer, by: [CompiledFormula],
        sort: [(formula: CompiledFormula, isFalling: Bool)], condition: CompiledFormula?, isUnique: Bool
    ) {
        (self.name, self.pointer, self.by, self.sort) = (name, pointer, by, sort)
        (self.condition, self.isUnique) = (condition, isUnique)
    }

    /// All expressions.
    var formulas: [CompiledFormula] { by + [condition].compactMap(\.self) + sort.map(\.formula) }

    /// Returns the place of a row; nil if it does not count. Throws if an expression has no value.
    func place(_ key: String, _ row: DescribedRow, in frame: RowFrame) throws -> IndexPlace? {
        if let condition {
            let value = try frame.evaluate(condition, key, row.value, nil)
            guard case .bool(let counts) = value else {
                throw FormulaFailure("where takes a bool, not \(value.kind.words)", at: condition.pointer)
            }
            if !counts { return nil }
        }
        var bytes = PlaceBytes()
        for formula in by {
            let value = try frame.evaluate(formula, key, row.value, nil)
            guard value.isGroup else {
                throw FormulaFailure(
                    "by takes a string, an int, a bool or null, not \(value.kind.words)", at: formula.pointer)
            }
            bytes.append(value)
        }
        let length = bytes.bytes.count
        try appendOrder(of: key, row, in: frame, to: &bytes)
        return IndexPlace(bytes.bytes, groupLength: length)
    }

    private func appendOrder(
        of key: String, _ row: DescribedRow, in frame: RowFrame, to bytes: inout PlaceBytes
    ) throws {
        guard !sort.isEmpty else {
            bytes.append(ordinal: row.added.version)
            bytes.append(ordinal: row.added.index)
            return
        }
        for part in sort {
            let value = try frame.evaluate(part.formula, key, row.value, nil)
            bytes.append(SortValue.sortable(value, part.formula.type), isFalling: part.isFalling)
        }
    }

    /// Returns the words for the failure of an expression.
    func words(for failure: any Error) -> String {
        if formulas.contains(where: \.isPrivate) {
            return "an expression has no value; the reason is withheld, because it reads a private member"
        }
        return (failure as? FormulaFailure).map { "\($0.pointer.tokens.last ?? ""): \($0.reason)" } ?? "\(failure)"
    }

    /// Returns the values of the order of a row, as lists of rows have them.
    func sortValues(_ key: String, _ row: JSON, in frame: RowFrame) throws -> JSON {
        .array(try sort.map { SortValue.sortable(try frame.evaluate($0.formula, key, row, nil), $0.formula.type) })
    }

    /// Returns the bytes of a group; nil if no row can be in it.
    static func group(_ values: [JSON]) -> [UInt8]? {
        var bytes = PlaceBytes()
        for value in values {
            guard value.isGroup else { return nil }
            bytes.append(value)
        }
        return bytes.bytes
    }

    /// Returns the bytes of a value of the order after those of a group.
    func bound(_ value: JSON, after group: [UInt8]) -> [UInt8] {
        guard let first = sort.first else { return group }
        var bytes = PlaceBytes()
        bytes.append(SortValue.sortable(value, first.formula.type), isFalling: first.isFalling)
        return group + bytes.bytes
    }
}

extension JSON {
    /// True if the value can name a group: a string, an int, a bool or null.
    var isGroup: Bool {
        switch self {
        case .null, .bool, .string: true
        case .number(let number): number.int64 != nil
        case .array, .object: false
        }
    }
}

/// The evaluation of the expressions of an index in one space.
final class IndexRows {
    let index: CompiledIndex
    let rows: TableIndex<String, DescribedRow>
    private let frame: RowFrame

    init(_ index: CompiledIndex, of table: ReadableTable<String, DescribedRow>) {
        let frame = RowFrame(Array(repeating: .json(.null), count: NamePlace.count))
        (self.index, self.frame) = (index, frame)
        rows = TableIndex(of: table, notesAdded: index.isUnique) { key, row in
            // A row for which an expression has no value is not in the index. Actions cannot write such rows.
            try? index.place(key, row, in: frame)
        }
    }

    /// Returns the rejection of a row of a feature for which an expression has no value; nil for another row.
    func rejection(of key: String, _ row: DescribedRow, in feature: String) -> Rejection? {
        do {
            _ = try index.place(key, row, in: frame)
            return nil
        } catch {
            return Rejection(.invalid, "\(feature)\(index.pointer): \(index.words(for: error))")
        }
    }

    /// Returns a row that the open transaction has put into a group with another row, and the key of that; nil if there is
    /// none.
    func secondRow() -> (key: String, other: String)? { rows.secondEntry() }

    /// The form of places in lists: that of rows sorted without an index.
    var form: TableIndex<String, DescribedRow>.PlaceForm {
        let (index, frame) = (index, frame)
        guard !index.sort.isEmpty else {
            return .init(DescribedRow.self, form: { _, row in row }) { [rows] key, form in
                (form as? DescribedRow).flatMap { rows.place(key, $0) }
            }
        }
        return .init(
            JSON.self,
            form: { key, row in JSON.array([(try? index.sortValues(key, row.value, in: frame)) ?? .null, row.value]) },
            place: { [rows] key, form in (form as? JSON)?[1].flatMap { rows.place(key, DescribedRow($0)) } })
    }
}

/// A search for rows that unique indexes would refuse.
final class UniqueRowSearch: RepeatedRowSearch {
    private let indexes: [CompiledIndex]
    private let frame = RowFrame(Array(repeating: .json(.null), count: NamePlace.count))
    /// The keys of the rows so far, by what they have in each index.
    private var known: [[[UInt8]: String]]

    init(by indexes: [CompiledIndex]) {
        self.indexes = indexes
        known = Array(repeating: [:], count: indexes.count)
    }

    func note(_ key: String, _ row: DescribedRow) -> [MigratedTable.RepeatedRow] {
        var found: [MigratedTable.RepeatedRow] = []
        for (number, index) in indexes.enumerated() {
            guard let place = try? index.place(key, row, in: frame) else { continue }
            if let other = known[number][place.group] {
                found.append(MigratedTable.RepeatedRow(index: index.name, key: key, other: other))
            } else {
                known[number][place.group] = key
            }
        }
        return found
    }
}
