import Expressions
import JSON
import Reactive
import StateModel

/// The value that a view computes of its rows, of all or of each group.
struct RowFold {
    /// Evaluates an expression for a row.
    typealias Evaluate = (CompiledFormula, String, JSON) throws -> JSON

    private let fold: TableQuery.Folding
    private let carrier: RowCarrier

    init(_ fold: TableQuery.Folding, _ carrier: RowCarrier) { (self.fold, self.carrier) = (fold, carrier) }

    func values(of rows: Rows<String, DescribedRow>, _ evaluate: @escaping Evaluate) -> Observable<JSON> {
        let form = fold.form
        let value = fold.value
        // From here on a row is the pair of its group and its value. Null counts in no fold but `count`.
        let group = fold.group
        let pairs: Rows<String, JSON> = rows.compactMap { key, carried in
            let own = try value.map { try evaluate($0, key, carried.value) } ?? true
            if own == .null { return nil }
            try check(own, value)
            guard let group else { return own }
            return .array([.string(try Self.name(of: evaluate(group, key, carried.value), group)), own])
        }
        let type = value?.type ?? .int
        guard group != nil else {
            return pairs.fold(
                RowTotal(), add: { try $0.adding($1, form) }, remove: { try $0.removing($1, form) }
            ).map { try $0.value(form, type) }.removeDuplicates()
        }
        let totals = pairs.group { $0[0] ?? .null }.fold(
            RowTotal(), add: { try $0.adding($1[1] ?? .null, form) },
            remove: { try $0.removing($1[1] ?? .null, form) })
        return totals.map { _, total in try total.value(form, type) }
            .fold(into: [String: JSON]()) { groups, entry in
                if case .string(let name) = entry.key { groups[name] = entry.new }
            }.map { groups in
                var object = JSON.Object()
                for name in groups.keys.sorted() { object[name] = groups[name] }
                return .object(object)
            }
    }

    /// Checks that a value can be summed.
    private func check(_ own: JSON, _ formula: CompiledFormula?) throws {
        guard fold.form == .sum || fold.form == .average, let formula else { return }
        if case .number = own { return }
        throw FormulaFailure("\(fold.form.rawValue) takes numbers, not \(own.kind.words)", at: formula.pointer)
    }

    /// The name of a group.
    private static func name(of value: JSON, _ formula: CompiledFormula) throws -> String {
        switch value {
        case .string(let name): return name
        case .bool(let truth): return "\(truth)"
        case .number(let number) where number.int64 != nil: return "\(number)"
        default:
            throw FormulaFailure(
                "by takes a string, an int or a bool, not \(value.kind.words)", at: formula.pointer)
        }
    }
}
