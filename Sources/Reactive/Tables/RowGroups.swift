/// The rows of a table in groups: those of which a value is the same. A group is there for as long as it has rows.
public struct RowGroups<Group: Hashable, Key: Hashable, Row: Equatable> {
    @usableFromInline let source: Rows<Key, Row>
    @usableFromInline let group: (Row) throws -> Group
    /// The router for observers of single groups.
    @usableFromInline let router: GroupRouter<Group, Key, Row>

    @inlinable
    init(of source: Rows<Key, Row>, by group: @escaping (Row) throws -> Group) {
        self.source = source
        self.group = group
        router = GroupRouter(of: source, by: group)
    }

    /// One group: the number of its rows, and their fold.
    @usableFromInline
    struct Amount<Total> {
        @usableFromInline var count = 0
        @usableFromInline var total: Total

        @inlinable
        init(_ total: Total) {
            self.total = total
        }
    }

    /// Folds the rows of each group to one row by the group. `remove` reverts the effect of `add` for a row. A turn costs the changed rows.
    @inlinable
    public func fold<Total: Equatable>(
        _ initial: Total, add: @escaping (Total, Row) throws -> Total, remove: @escaping (Total, Row) throws -> Total
    ) -> Rows<Group, Total> {
        let group = group
        return Rows<Group, Total>(madeBy: "group", from: source) {
            var amounts: [Group: Amount<Total>] = [:]
            return { rows, changes, entries in
                var touched: [Group] = []
                for change in changes.entries {
                    if let row = change.old {
                        let key = try group(row)
                        if var amount = amounts[key] {
                            amount.count -= 1
                            amount.total = try remove(amount.total, row)
                            amounts[key] = amount
                            touched.append(key)
                        }
                    }
                    if let row = change.new {
                        let key = try group(row)
                        var amount = amounts[key] ?? Amount(initial)
                        amount.count += 1
                        amount.total = try add(amount.total, row)
                        amounts[key] = amount
                        if touched.last != key { touched.append(key) }
                    }
                }
                for key in touched {
                    let isEmpty = amounts[key].map { $0.count == 0 } ?? true
                    if isEmpty { amounts[key] = nil }
                    rows.take(amounts[key]?.total, for: key, into: &entries)
                }
            }
        }
    }

    /// The number of rows of each group.
    @inlinable
    public func rowCount() -> Rows<Group, Int> {
        fold(0, add: { count, _ in count + 1 }, remove: { count, _ in count - 1 })
    }

    /// The sum of a value over the rows of each group.
    @inlinable
    public func sum<Value: AdditiveArithmetic>(_ value: @escaping (Row) throws -> Value) -> Rows<Group, Value> {
        fold(.zero, add: { try $0 + value($1) }, remove: { try $0 - value($1) })
    }
}

extension Rows {
    /// The rows in groups by a value of theirs.
    @inlinable
    public func group<Group: Hashable>(by group: @escaping (Row) throws -> Group) -> RowGroups<Group, Key, Row> {
        RowGroups(of: self, by: group)
    }
}
