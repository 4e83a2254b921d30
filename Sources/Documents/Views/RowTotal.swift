import Expressions
import JSON

/// The number of rows, and the sum or the values of their expression.
struct RowTotal: Equatable {
    private var count = 0
    private var sum = LongDecimal(0)
    /// The values, for the least and the greatest; nil for other folds.
    private var values: ValueBag?
    /// The number of changes of `values`, which are shared by copies.
    private var edition = 0

    static func == (one: RowTotal, other: RowTotal) -> Bool {
        one.count == other.count && one.sum == other.sum && one.edition == other.edition
            && one.values === other.values
    }

    func adding(_ value: JSON, _ form: WrittenQuery.Fold) throws -> RowTotal {
        var total = self
        total.count += 1
        switch form {
        case .count: break
        case .sum, .average: total.sum = try Self.sum(sum, value, +)
        case .min, .max:
            // Each group has values of its own.
            let values = values ?? ValueBag()
            values.insert(value)
            total.values = values
            total.edition += 1
        }
        return total
    }

    func removing(_ value: JSON, _ form: WrittenQuery.Fold) throws -> RowTotal {
        var total = self
        total.count -= 1
        switch form {
        case .count: break
        case .sum, .average: total.sum = try Self.sum(sum, value, -)
        case .min, .max:
            values?.remove(value)
            total.edition += 1
        }
        return total
    }

    private static func sum(
        _ sum: LongDecimal, _ value: JSON,
        _ operation: (LongDecimal, LongDecimal) throws(LongDecimal.ArithmeticFault) -> LongDecimal
    ) throws -> LongDecimal {
        guard case .number(let number) = value else { return sum }
        return try operation(sum, LongDecimal(short: number))
    }

    /// Returns the value of the fold. Of no rows count and sum are 0, the others null.
    func value(_ form: WrittenQuery.Fold, _ type: ExpressionType) throws -> JSON {
        switch form {
        case .count: return .number(Decimal(count))
        case .sum: return try Self.json(sum, type)
        case .min: return values?.first ?? .null
        case .max: return values?.last ?? .null
        case .average:
            guard count > 0 else { return .null }
            let mean = try sum / LongDecimal(Int64(count))
            return mean.decimal.map { .number($0) } ?? Decimal(mean.double).map { .number($0) } ?? .null
        }
    }

    private static func json(_ sum: LongDecimal, _ type: ExpressionType) throws -> JSON {
        if let number = sum.decimal { return .number(number) }
        guard type.withoutNull == .double || type == .dyn, let number = Decimal(sum.double) else {
            throw FormulaFailure("the sum has too many digits for a JSON number", at: JSONPointer())
        }
        return .number(number)
    }
}

/// Values in order, each as often as it was inserted.
final class ValueBag {
    private var values: [JSON] = []

    var first: JSON? { values.first }
    var last: JSON? { values.last }

    func insert(_ value: JSON) { values.insert(value, at: place(of: value)) }

    func remove(_ value: JSON) {
        let place = place(of: value)
        if place < values.count, SortValue.compare(values[place], value) == 0 { values.remove(at: place) }
    }

    /// The place of the first value that does not come before another.
    private func place(of value: JSON) -> Int {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if SortValue.compare(values[middle], value) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
