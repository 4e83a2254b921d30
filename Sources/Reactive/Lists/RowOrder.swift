/// An order of rows: by a value of theirs, rising or falling, and by another where that is the same.
public struct RowOrder<Row> {
    /// Negative if the first row comes before the second, positive if after it, 0 if the order leaves it open.
    @usableFromInline let compare: (Row, Row) throws -> Int

    @inlinable
    init(compare: @escaping (Row, Row) throws -> Int) {
        self.compare = compare
    }

    /// The order in which `areInIncreasingOrder` is true of a row and each after it, as with `Sequence.sorted(by:)`.
    @inlinable
    public init(by areInIncreasingOrder: @escaping (Row, Row) throws -> Bool) {
        self.init { one, other in
            if try areInIncreasingOrder(one, other) { return -1 }
            return try areInIncreasingOrder(other, one) ? 1 : 0
        }
    }

    /// From the lowest value to the highest.
    @inlinable
    public static func ascending<Value: Comparable>(_ value: @escaping (Row) throws -> Value) -> RowOrder {
        RowOrder { one, other in
            let (one, other) = (try value(one), try value(other))
            return one < other ? -1 : other < one ? 1 : 0
        }
    }

    /// From the highest value to the lowest.
    @inlinable
    public static func descending<Value: Comparable>(_ value: @escaping (Row) throws -> Value) -> RowOrder {
        RowOrder { one, other in
            let (one, other) = (try value(one), try value(other))
            return other < one ? -1 : one < other ? 1 : 0
        }
    }

    /// This order and, for rows that it leaves open, another.
    @inlinable
    public func then(_ next: RowOrder) -> RowOrder {
        RowOrder { [compare] one, other in
            let first = try compare(one, other)
            return try first == 0 ? next.compare(one, other) : first
        }
    }
}
