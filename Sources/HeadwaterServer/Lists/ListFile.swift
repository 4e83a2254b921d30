import HTTP
import JSON

/// A list view as a file: rows of CSV, or lines of JSON.
struct ListFile: Sendable {
    /// The form of the file.
    enum FileForm: Sendable {
        case csv, lines
    }

    private let form: FileForm
    /// The columns, by the schema of the view; empty if it does not say.
    private let columns: [ListColumn]

    /// A file of a view whose value has a schema.
    init(_ form: FileForm, schema: JSON) {
        self.form = form
        columns = ListColumn.all(of: schema["items"] ?? [:])
    }

    /// The media type.
    var type: StaticString {
        switch form {
        case .csv: "text/csv; charset=utf-8; header=present"
        case .lines: "application/x-ndjson"
        }
    }

    /// The media types of files, for problems.
    static let types = ["text/csv", "application/x-ndjson"]

    /// Returns the form that a request asks for; nil for none. It names the form, and does not prefer JSON or events.
    static func form(of request: borrowing Request) -> FileForm? {
        guard request.has(.accept), var text = request.field(.accept) else { return nil }
        if text.utf8.contains(where: { (0x41...0x5A).contains($0) }) { text = text.lowercased() }
        // Most requests name neither.
        guard text.contains("csv") || text.contains("ndjson") else { return nil }
        let acceptance = Acceptance(text)
        let others = [("application", "json"), ("text", "event-stream")]
        let best = others.filter { acceptance.names($0.0, $0.1) }.map { acceptance.quality(of: $0.0, $0.1) }.max() ?? 0
        let csv = acceptance.names("text", "csv") ? acceptance.quality(of: "text", "csv") : 0
        let lines =
            acceptance.names("application", "x-ndjson") ? acceptance.quality(of: "application", "x-ndjson") : 0
        guard max(csv, lines) > 0, max(csv, lines) > best || best == 0 else { return nil }
        return csv >= lines ? .csv : .lines
    }

    /// The parts of the file that have some elements, of about 64 KiB each.
    func parts(of elements: [JSON]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var bytes: [UInt8] = []
        let columns = self.columns.isEmpty ? ListColumn.all(among: elements) : self.columns
        if form == .csv { CSVText.append(columns.map { CSVText.cell(.string($0.title)) }, to: &bytes) }
        for element in elements {
            switch form {
            case .csv: CSVText.append(columns.map { CSVText.cell($0.value(in: element)) }, to: &bytes)
            case .lines: bytes += element.written + [0x0A]
            }
            guard bytes.count >= 65_536 else { continue }
            parts.append(bytes)
            bytes = []
        }
        if !bytes.isEmpty || parts.isEmpty { parts.append(bytes) }
        return parts
    }
}

/// A column of a list in CSV.
struct ListColumn: Sendable {
    /// The title.
    let title: String
    /// The members that lead to the value; none for the element itself.
    private let path: [String]

    /// Returns the value of the column in an element.
    func value(in element: JSON) -> JSON? {
        path.reduce(Optional(element)) { $0?[$1] }
    }

    /// The columns of elements with a schema: its members. Of an element `{"key", "row"}` the columns are the key and the
    /// members of the row.
    static func all(of schema: JSON) -> [ListColumn] {
        let members = names(of: schema)
        guard members == ["key", "row"], let row = schema["properties"]?["row"] else {
            if members.isEmpty, let type = schema["type"], type != "object" {
                return [ListColumn(title: "value", path: [])]
            }
            return members.map { ListColumn(title: $0, path: [$0]) }
        }
        return keyed(names(of: row))
    }

    /// The columns of elements without a schema: the members that they have, in the order of their first occurrence.
    static func all(among elements: [JSON]) -> [ListColumn] {
        let members = names(among: elements)
        guard !members.isEmpty else { return [ListColumn(title: "value", path: [])] }
        guard members == ["key", "row"] else { return members.map { ListColumn(title: $0, path: [$0]) } }
        return keyed(names(among: elements.compactMap { $0["row"] }))
    }

    private static func keyed(_ row: [String]) -> [ListColumn] {
        let key = ListColumn(title: "key", path: ["key"])
        guard !row.isEmpty else { return [key, ListColumn(title: "row", path: ["row"])] }
        return [key] + row.map { ListColumn(title: $0 == "key" ? "row.key" : $0, path: ["row", $0]) }
    }

    private static func names(of schema: JSON) -> [String] {
        guard case .object(let properties)? = schema["properties"] else { return [] }
        return properties.map(\.key)
    }

    private static func names(among elements: [JSON]) -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        for element in elements {
            guard case .object(let members) = element else { continue }
            for member in members where known.insert(member.key).inserted { names.append(member.key) }
        }
        return names
    }
}
