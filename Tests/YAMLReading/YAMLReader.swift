package import JSON

/// A reader of the subset of YAML that `openapi.yaml` uses: maps and lists by indentation, in flow on one line, plain,
/// quoted and block texts. Any other YAML is a fault, so that the contract stays easy to read.
package struct YAMLReader {
    private struct Line {
        let number: Int
        let indent: Int
        let text: Substring
    }

    private let raw: [Substring]
    private var lines: [Line] = []
    private var next = 0

    /// Parses a text.
    package static func read(_ text: String) throws -> JSON {
        var reader = YAMLReader(text)
        guard let first = reader.lines.first else { return .null }
        let value = try reader.block(at: first.indent)
        if let rest = reader.peek { throw YAMLFault(line: rest.number, "this belongs to nothing above it") }
        return value
    }

    private init(_ text: String) {
        raw = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in raw.enumerated() {
            let content = line.drop { $0 == " " }
            if content.isEmpty || content.first == "#" { continue }
            lines.append(Line(number: index + 1, indent: line.count - content.count, text: content))
        }
    }

    private var peek: Line? { next < lines.count ? lines[next] : nil }

    // MARK: Blocks

    private mutating func block(at indent: Int) throws -> JSON {
        guard let line = peek else { return .null }
        if line.text == "-" || line.text.hasPrefix("- ") { return try list(at: indent) }
        if Self.key(of: line.text) != nil { return try map(at: indent) }
        next += 1
        return try YAMLScalar.read(line.text, line: line.number)
    }

    private mutating func list(at indent: Int) throws -> JSON {
        var elements: [JSON] = []
        while let line = peek, line.indent == indent, line.text == "-" || line.text.hasPrefix("- ") {
            let content = line.text.dropFirst().drop { $0 == " " }
            if content.isEmpty {
                next += 1
                elements.append(try nested(below: indent))
            } else {
                // The text after the dash is a block, indented to its own column.
                let inner = indent + line.text.count - content.count
                lines[next] = Line(number: line.number, indent: inner, text: content)
                elements.append(try block(at: inner))
            }
        }
        return .array(elements)
    }

    private mutating func map(at indent: Int) throws -> JSON {
        var object = JSON.Object()
        while let line = peek, line.indent == indent {
            guard let (key, rest) = Self.key(of: line.text) else {
                throw YAMLFault(line: line.number, "a key and a colon are missing")
            }
            guard object[key] == nil else { throw YAMLFault(line: line.number, "\(key) is there twice") }
            next += 1
            if rest.first == "|" || rest.first == ">" {
                object[key] = .string(try text(rest, below: indent, after: line))
            } else if rest.isEmpty || rest.first == "#" {
                object[key] = try nested(below: indent)
            } else {
                object[key] = try YAMLScalar.read(rest, line: line.number)
            }
            if let following = peek, following.indent > indent {
                throw YAMLFault(line: following.number, "this is indented too far")
            }
        }
        return .object(object)
    }

    private mutating func nested(below indent: Int) throws -> JSON {
        guard let line = peek, line.indent > indent else { return .null }
        return try block(at: line.indent)
    }

    /// Reads a block text; comments inside it are text.
    private mutating func text(_ header: Substring, below indent: Int, after line: Line) throws -> String {
        guard ["|", "|-"].contains(header) else {
            throw YAMLFault(line: line.number, "only | and |- begin a text here")
        }
        var found: [Substring] = []
        var depth: Int?
        var index = line.number
        while index < raw.count {
            let content = raw[index].drop { $0 == " " }
            let inner = raw[index].count - content.count
            if !content.isEmpty {
                if inner <= indent { break }
                depth = depth ?? inner
            }
            found.append(raw[index].dropFirst(min(depth ?? 0, inner)))
            index += 1
        }
        while found.last?.isEmpty ?? false { found.removeLast() }
        while let line = peek, line.number <= index { next += 1 }
        return found.joined(separator: "\n") + (header == "|" ? "\n" : "")
    }

    /// Splits a line into its key and the text after the colon.
    private static func key(of text: Substring) -> (String, Substring)? {
        if text.first == "\"" || text.first == "'" {
            guard let (key, rest) = try? YAMLScalar.quoted(text, line: 0), rest.first == ":" else { return nil }
            return (key, rest.dropFirst().drop { $0 == " " })
        }
        if text.first == "{" || text.first == "[" { return nil }
        var index = text.startIndex
        while let colon = text[index...].firstIndex(of: ":") {
            let after = text.index(after: colon)
            if after == text.endIndex || text[after] == " " {
                return (String(text[..<colon]), text[after...].drop { $0 == " " })
            }
            index = after
        }
        return nil
    }
}

/// A text that is outside the subset.
package struct YAMLFault: Error, CustomStringConvertible {
    package let description: String

    package init(line: Int, _ reason: String) {
        description = "line \(line): \(reason)"
    }
}
