import JSON

/// A writer of the subset that `YAMLReader` reads: short values on one line, others by indentation.
enum YAMLWriter {
    /// The greatest length of a line.
    static let lineLimit = 150

    /// Returns the lines of a map's members at an indentation.
    static func lines(of object: JSON.Object, indent: Int) -> [String] {
        object.flatMap { member in lines("\(text(member.key)):", member.value, indent: indent) }
    }

    private static func lines(_ head: String, _ value: JSON, indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        let line = "\(space)\(head) \(flow(value))"
        if line.count <= lineLimit, !isBig(value) { return [line] }
        switch value {
        case .object(let object): return ["\(space)\(head)"] + lines(of: object, indent: indent + 2)
        case .array(let elements):
            return ["\(space)\(head)"]
                + elements.flatMap { element in
                    guard case .object(let object) = element, isBig(element) || flow(element).count + indent > lineLimit
                    else {
                        return ["\(space)  - \(flow(element))"]
                    }
                    var inner = lines(of: object, indent: indent + 4)
                    inner[0] = "\(space)  - \(inner[0].drop { $0 == " " })"
                    return inner
                }
        default: return [line]
        }
    }

    /// Returns true if the value has too many parts for one line.
    private static func isBig(_ value: JSON) -> Bool {
        switch value {
        case .object(let object):
            object.contains { isNested($0.value) && $0.value.isDeeper(than: 1) } || object.count > 8
        default: false
        }
    }

    private static func isNested(_ value: JSON) -> Bool {
        switch value {
        case .object, .array: true
        default: false
        }
    }

    private static func flow(_ value: JSON) -> String {
        switch value {
        case .object(let object): "{\(object.map { "\(text($0.key)): \(flow($0.value))" }.joined(separator: ", "))}"
        case .array(let elements): "[\(elements.map(flow).joined(separator: ", "))]"
        case .string(let string): text(string)
        default: value.description
        }
    }

    /// Returns a text, quoted unless a reader takes it as itself.
    private static func text(_ text: String) -> String {
        let isPlain =
            text.first.map { $0.isLetter || $0 == "/" || $0 == "$" } ?? false
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: " ./_-+$".utf8.contains(byte)
                }
            } && text.last != " " && !["null", "true", "false", "yes", "no", "on", "off"].contains(text.lowercased())
        // A path with a parameter needs no quotes as a key; in flow it would be a map.
        if isPlain { return text }
        // A backslash in single quotes needs no escape, which keeps patterns readable.
        let isLiteral =
            text.contains("\\") && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("'")
        return isLiteral ? "'\(text)'" : JSON.string(text).description
    }
}
