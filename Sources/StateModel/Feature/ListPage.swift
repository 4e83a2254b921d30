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
