import JSON

/// The form of CSV (RFC 4180), with CRLF after each row.
enum CSVText {
    /// Appends a row.
    static func append(_ cells: [String], to bytes: inout [UInt8]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(cell, to: &bytes)
        }
        bytes += [0x0D, 0x0A]
    }

    /// Appends a cell, in quotation marks if it has a comma, a quotation mark or a line end.
    private static func append(_ cell: String, to bytes: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let isPlain = !cell.utf8.contains { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x0D || $0 == 0x0A }
        guard !isPlain else { return bytes += cell.utf8 }
        bytes.append(quote)
        for byte in cell.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    /// The cell of a value. Null is empty, a list or an object is JSON, and a text that a spreadsheet would take for a
    /// formula begins with an apostrophe.
    static func cell(_ value: JSON?) -> String {
        switch value {
        case nil, .null?: return ""
        case .bool(let truth)?: return truth ? "true" : "false"
        case .number(let number)?: return "\(number)"
        case .string(let text)?:
            let starts: [UInt8] = [
                UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D,
            ]
            return text.utf8.first.map(starts.contains) ?? false ? "'\(text)" : text
        case let value?: return String(decoding: value.written, as: UTF8.self)
        }
    }

    /// A fault of a text, with its line from 1 on.
    struct CSVFault: Error {
        let line: Int
        let words: String
    }

    /// Reads rows of cells, each with the number of its first line. Lines end with LF or CRLF; a text may begin with a byte
    /// order mark, and empty lines are left out.
    static func rows(_ bytes: [UInt8]) throws(CSVFault) -> [(line: Int, cells: [String])] {
        var reader = CSVReader(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
        var rows: [(line: Int, cells: [String])] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }
}

/// The reader of a text in CSV.
private struct CSVReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var line = 1

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    mutating func next() throws(CSVText.CSVFault) -> (line: Int, cells: [String])? {
        while index < bytes.endIndex {
            let start = line
            let cells = try row()
            if cells != [""] { return (start, cells) }
        }
        return nil
    }

    private mutating func row() throws(CSVText.CSVFault) -> [String] {
        var cells: [String] = []
        while true {
            cells.append(try cell())
            guard index < bytes.endIndex else { return cells }
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: ",") { continue }
            if byte == 0x0D, index < bytes.endIndex, bytes[index] == 0x0A { index += 1 }
            line += 1
            return cells
        }
    }

    private mutating func cell() throws(CSVText.CSVFault) -> String {
        let quote = UInt8(ascii: "\"")
        var content: [UInt8] = []
        guard index < bytes.endIndex, bytes[index] == quote else {
            while index < bytes.endIndex, bytes[index] != UInt8(ascii: ","), bytes[index] != 0x0D, bytes[index] != 0x0A
            {
                content.append(bytes[index])
                index += 1
            }
            return try text(content)
        }
        let start = line
        index += 1
        while true {
            guard index < bytes.endIndex else {
                throw CSVText.CSVFault(line: start, words: "a quotation mark is not closed")
            }
            let byte = bytes[index]
            index += 1
            if byte == 0x0A { line += 1 }
            guard byte == quote else {
                content.append(byte)
                continue
            }
            guard index < bytes.endIndex, bytes[index] == quote else { break }
            content.append(quote)
            index += 1
        }
        guard index == bytes.endIndex || [UInt8(ascii: ","), 0x0D, 0x0A].contains(bytes[index]) else {
            throw CSVText.CSVFault(line: line, words: "a comma or a line end has to follow a quotation mark")
        }
        return try text(content)
    }

    private func text(_ content: [UInt8]) throws(CSVText.CSVFault) -> String {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CSVText.CSVFault(line: line, words: "a cell is not UTF-8")
        }
        return text
    }
}
