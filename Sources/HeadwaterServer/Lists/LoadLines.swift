import Ground
import JSON

/// The lines of a file whose rows are loaded through an action: the input of each, and its idempotency key.
struct LoadLines {
    /// A line.
    struct LoadLine {
        /// The number of the line in the file, from 1 on.
        let number: Int
        let input: JSON
        let key: String
        /// The reason that the line has no input; nil if it has one.
        let fault: String?
    }

    private typealias Row = (line: Int, input: JSON, fault: String?)

    /// A file that cannot be loaded.
    struct LoadFault: Error, CustomStringConvertible {
        let description: String
    }

    let lines: [LoadLine]

    /// Reads a file of CSV, or of lines of JSON, for an action whose input has a schema.
    init(_ bytes: [UInt8], isCSV: Bool, schema: JSON) throws(LoadFault) {
        let digest = SHA256.digest(bytes).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        let rows = isCSV ? try Self.rows(bytes, schema) : Self.objects(bytes)
        lines = rows.map { row in
            LoadLine(number: row.line, input: row.input, key: "\(digest)-\(row.line)", fault: row.fault)
        }
    }

    private static func objects(_ bytes: [UInt8]) -> [Row] {
        var rows: [Row] = []
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let text = line.last == 0x0D ? line.dropLast() : line
            guard text.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
            do throws(JSONError) {
                rows.append((index + 1, try JSON(parsing: Array(text)), nil))
            } catch {
                let content = JSON.string(String(decoding: text, as: UTF8.self))
                rows.append((index + 1, content, "the line is not JSON: \(error.reason)"))
            }
        }
        return rows
    }

    private static func rows(_ bytes: [UInt8], _ schema: JSON) throws(LoadFault) -> [Row] {
        let table: [(line: Int, cells: [String])]
        do throws(CSVText.CSVFault) {
            table = try CSVText.rows(bytes)
        } catch {
            throw LoadFault(description: "line \(error.line): \(error.words)")
        }
        guard let header = table.first else { return [] }
        let properties = schema["properties"] ?? [:]
        var known: Set<String> = []
        for name in header.cells {
            guard known.insert(name).inserted else {
                throw LoadFault(description: "the column \"\(name)\" is there twice")
            }
            guard case .object(let members) = properties, members[name] == nil else { continue }
            let names = members.map(\.key).joined(separator: ", ")
            throw LoadFault(description: "the action's input has no member \"\(name)\": it has \(names)")
        }
        var rows: [Row] = []
        for row in table.dropFirst() {
            guard row.cells.count == header.cells.count else {
                let fault = "the line has \(row.cells.count) cells, and the header \(header.cells.count)"
                rows.append((row.line, .array(row.cells.map { .string($0) }), fault))
                continue
            }
            var input = JSON.Object()
            for (name, cell) in zip(header.cells, row.cells) where !cell.isEmpty {
                input[name] = value(of: cell, properties[name] ?? [:])
            }
            rows.append((row.line, .object(input), nil))
        }
        return rows
    }

    /// Returns a cell as a value that its schema permits. A cell that none fits stays a text, which the server refuses with
    /// its reason.
    private static func value(of cell: String, _ schema: JSON) -> JSON {
        var types: [String] = []
        switch schema["type"] {
        case .string(let type)?: types = [type]
        case .array(let all)?: types = all.compactMap { if case .string(let type) = $0 { type } else { nil } }
        default: break
        }
        if types.contains("string") { return .string(cell) }
        let parsed = try? JSON(parsing: Array(cell.utf8))
        switch parsed {
        case .number? where types.isEmpty || types.contains("number") || types.contains("integer"),
            .bool? where types.isEmpty || types.contains("boolean"),
            .array? where types.contains("array"), .object? where types.contains("object"):
            return parsed ?? .string(cell)
        default: return .string(cell)
        }
    }
}
