package import JSON

/// A map of which a formula reads single entries, such as the table of a space: no entry is copied or converted before
/// the formula reads it.
package final class LazyMap: Sendable {
    private let counted: @Sendable () -> Int
    private let keyed: @Sendable (Int) -> String
    private let found: @Sendable (String) -> ExpressionInput?
    /// The rows, if the map is a range of an index.
    let range: (any RowRange)?
    /// The indexes, if the map stands for them.
    let indexes: (any IndexReading)?

    /// Creates a map from its number of entries, its keys by position, and its values by key. During one evaluation
    /// they must not change.
    package init(
        count: @escaping @Sendable () -> Int, key: @escaping @Sendable (Int) -> String,
        value: @escaping @Sendable (String) -> ExpressionInput?
    ) {
        (counted, keyed, found) = (count, key, value)
        (range, indexes) = (nil, nil)
    }

    /// Creates a map of the rows of an index.
    package init(of range: any RowRange) {
        (counted, keyed, found) = ({ range.count }, { range.key(at: $0) }, { range.row($0).map { .json($0) } })
        (self.range, indexes) = (range, nil)
    }

    /// Creates the input for the names of indexes, as `index.byOwner`.
    package init(of indexes: any IndexReading) {
        (counted, keyed, found) = ({ 0 }, { _ in "" }, { _ in nil })
        (range, self.indexes) = (nil, indexes)
    }

    /// Creates a map of named parts.
    package convenience init(_ parts: [(name: String, value: ExpressionInput)]) {
        let values = Dictionary(parts.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
        let names = parts.map(\.name)
        self.init(count: { names.count }, key: { names[$0] }, value: { values[$0] })
    }

    /// Creates the input of a generator, which is declared by its name and parentheses, such as `newId()`. Each call
    /// in a formula calls `next`.
    package convenience init(generating next: @escaping @Sendable () -> JSON) {
        self.init(count: { 0 }, key: { _ in "" }, value: { _ in .json(next()) })
    }

    var count: Int { counted() }

    func key(at place: Int) -> String { keyed(place) }

    func value(named name: String) -> ExpressionInput? { found(name) }

    func value(at place: Int) -> ExpressionInput? {
        range.map { .json($0.row(at: place)) } ?? found(keyed(place))
    }
}

/// An input of a formula.
package enum ExpressionInput: Sendable {
    case json(JSON)
    case map(LazyMap)
}

extension CELValue {
    /// Creates the value of an input.
    init(_ input: ExpressionInput) {
        switch input {
        case .json(let json): self.init(json)
        case .map(let map): self = .map(.lazy(map))
        }
    }
}
