import JSON
import Reactive

/// A value that is an array in JSON, of which a request can ask for a window.
protocol ListValue: JSONWritable {
    var elementCount: Int { get }
    func element(at index: Int) -> any JSONWritable
}

extension Array: ListValue where Element: JSONWritable {
    var elementCount: Int { count }
    func element(at index: Int) -> any JSONWritable { self[index] }
}

extension RowList: ListValue where Row: JSONWritable {
    var elementCount: Int { count }
    func element(at index: Int) -> any JSONWritable { self[index].row }
}

/// The answer to a request for a window: `{"items": […], "next": …}` and, if it was asked for, `total`.
struct ListPage: JSONWritable, SchemaProviding {
    let items: [any JSONWritable]
    /// The text of the place after the last item; nil if no item follows.
    let next: String?
    let total: Int?

    static var schema: JSON { ["type": "object"] }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("items") { writer in
                writer.array { writer in
                    for item in items { writer.element { item.write(to: &$0) } }
                }
            }
            writer.field("next", next)
            if let total { writer.field("total", total) }
        }
    }
}

extension Observable where Value: JSONWritable & SchemaProviding {
    /// The windows of a list, as a view. A list that is maintained by row is read by row: a change costs what it changes
    /// in the window. From another value the window is cut.
    func windowed(_ window: ListWindow, of view: String, _ key: DigestKey) -> any View {
        if let list = self as? any MaintainedList, let pages = list.pages(window, of: view, key) { return pages }
        return map { value in
            guard let list = value as? any ListValue else { return ListPage(items: [], next: nil, total: nil) }
            return try ListPage(window, cutFrom: list, of: view, key)
        }
    }
}

extension ListPage {
    /// The window of a whole list.
    init(_ window: ListWindow, cutFrom list: any ListValue, of view: String, _ key: DigestKey) throws(JSONError) {
        let count = list.elementCount
        let start = try Self.start(of: window.after, in: list)
        let end = min(count, start + window.limit)
        items = (start..<end).map { list.element(at: $0) }
        next =
            end < count && end > start
            ? try ListPlace.after(try list.element(at: end - 1).json(), count: end).text(of: view, key) : nil
        total = window.wantsTotal ? count : nil
    }

    /// The number of elements up to a place. An element that has moved is found again; of equal ones, the nearest. If it
    /// went, the elements that were before it are counted.
    private static func start(of place: ListPlace?, in list: any ListValue) throws(JSONError) -> Int {
        guard case .element(let known, let digest)? = place else { return 0 }
        let count = list.elementCount
        func isLast(of place: Int) throws(JSONError) -> Bool {
            guard place > 0, place <= count else { return false }
            return ListPlace.digest(of: try list.element(at: place - 1).json()) == digest
        }
        let nearest = min(known, count)
        for distance in 0...count {
            if try isLast(of: nearest - distance) { return nearest - distance }
            if distance > 0, try isLast(of: nearest + distance) { return nearest + distance }
        }
        // The element went, and those after it have come one place nearer.
        return min(count, max(0, known - 1))
    }
}

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
