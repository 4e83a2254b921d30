import JSON
import Reactive

/// A list that is maintained by row, of which a window is a list too.
protocol MaintainedList: AnyObject {
    /// The windows of the list as a view; nil if the list has no order to find a place in.
    func pages(_ window: ListWindow, of view: String, _ key: DigestKey) -> (any View)?
}

extension OrderedRows: MaintainedList where Key: LosslessStringConvertible, Row: JSONWritable {
    func pages(_ window: ListWindow, of view: String, _ key: DigestKey) -> (any View)? {
        guard let cut = cut(), let type = cut.rowType as? any JSONReadable.Type, cut.rowType is any JSONWritable.Type,
            let start = Self.start(of: window.after, type)
        else { return nil }
        let limit = window.limit
        // One row more says if there are more.
        let rows = cut.window(start, limit + 1)
        let page = { (rows: [CutRow<Key, Row>], total: Int?) throws(JSONError) -> ListPage in
            let last = rows.count > limit ? rows[limit - 1] : nil
            return ListPage(
                items: rows.prefix(limit).map(\.row),
                next: try last.map { row throws(JSONError) in
                    try Self.place(after: row).text(of: view, key)
                }, total: total)
        }
        guard window.wantsTotal else { return rows.map { try page($0, nil) } }
        return combineLatest(rows, rowCount()).map { try page($0, $1) }
    }

    private static func place(after row: CutRow<Key, Row>) throws(JSONError) -> ListPlace {
        // The order of first adding compares nothing else of a row.
        let compared = (row.sorted as? DescribedRow)?.withoutValue ?? row.sorted
        guard let sorted = compared as? any JSONWritable else { return .key("\(row.key)") }
        let bytes = try sorted.json()
        return isWhole(compared, in: bytes) ? .after("\(row.key)", bytes) : .key("\(row.key)")
    }

    /// Returns true if a row reads back from its JSON: then the JSON has everything that the order compares.
    private static func isWhole(_ row: Any, in bytes: [UInt8]) -> Bool {
        guard let type = Swift.type(of: row) as? any JSONReadable.Type, let read = try? type.init(parsing: bytes),
            let row = row as? any Equatable
        else { return false }
        return isEqual(row, read)
    }

    private static func isEqual<Value: Equatable>(_ one: Value, _ other: Any) -> Bool { (other as? Value) == one }

    /// The start of the window after a place; nil if the place is none of this list.
    private static func start(of place: ListPlace?, _ type: any JSONReadable.Type) -> ListCut<Key, Row>.Start? {
        switch place {
        case nil: return .first
        case .row(let name, let bytes)?:
            guard let key = Key(name), let row = try? type.init(parsing: bytes) else { return nil }
            return .after(key: key, row: row)
        case .key(let name)?: return Key(name).map { .afterKey($0) }
        case .element?: return nil
        }
    }
}
