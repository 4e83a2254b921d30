import JSON

/// A value on one line: in flow, quoted or plain.
enum YAMLScalar {
    static func read(_ text: Substring, line: Int) throws -> JSON {
        var rest = text
        let value = try value(&rest, inFlow: false, line)
        rest = rest.drop { $0 == " " }
        guard rest.isEmpty || rest.first == "#" else { throw YAMLFault(line: line, "\(rest) stands after the value") }
        return value
    }

    private static func value(_ rest: inout Substring, inFlow: Bool, _ line: Int) throws -> JSON {
        rest = rest.drop { $0 == " " }
        switch rest.first {
        case "{": return try object(&rest, line)
        case "[": return try array(&rest, line)
        case "\"", "'":
            let (text, after) = try quoted(rest, line: line)
            rest = after
            return .string(text)
        case "&", "*", "!", "|", ">", "%", "@", "`":
            throw YAMLFault(line: line, "quote a text that begins with \(rest.prefix(1))")
        default: return plain(take(&rest, inFlow: inFlow))
        }
    }

    private static func object(_ rest: inout Substring, _ line: Int) throws -> JSON {
        var object = JSON.Object()
        rest.removeFirst()
        while true {
            rest = rest.drop { $0 == " " }
            if rest.first == "}" { break }
            let key: String
            if rest.first == "\"" || rest.first == "'" {
                (key, rest) = try quoted(rest, line: line)
            } else {
                let name = rest.prefix { $0 != ":" && $0 != "," && $0 != "}" }
                key = String(name)
                rest = rest.dropFirst(name.count)
            }
            guard rest.first == ":" else { throw YAMLFault(line: line, "a colon is missing after \(key)") }
            rest.removeFirst()
            guard object[key] == nil else { throw YAMLFault(line: line, "\(key) is there twice") }
            object[key] = try value(&rest, inFlow: true, line)
            rest = rest.drop { $0 == " " }
            if rest.first == "," {
                rest.removeFirst()
            } else if rest.first != "}" {
                throw YAMLFault(line: line, "} is missing")
            }
        }
        rest.removeFirst()
        return .object(object)
    }

    private static func array(_ rest: inout Substring, _ line: Int) throws -> JSON {
        var elements: [JSON] = []
        rest.removeFirst()
        while true {
            rest = rest.drop { $0 == " " }
            if rest.first == "]" { break }
            elements.append(try value(&rest, inFlow: true, line))
            rest = rest.drop { $0 == " " }
            if rest.first == "," {
                rest.removeFirst()
            } else if rest.first != "]" {
                throw YAMLFault(line: line, "] is missing")
            }
        }
        rest.removeFirst()
        return .array(elements)
    }

    /// Reads a quoted text; returns it and the rest.
    static func quoted(_ text: Substring, line: Int) throws -> (String, Substring) {
        var rest = text.dropFirst()
        if text.first == "'" {
            var found = ""
            while let character = rest.popFirst() {
                guard character == "'" else {
                    found.append(character)
                    continue
                }
                guard rest.first == "'" else { return (found, rest) }
                found.append("'")
                rest.removeFirst()
            }
        } else {
            // The contract uses the escapes of JSON only.
            var isEscaped = false
            while let character = rest.popFirst() {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    let literal = text[..<rest.startIndex]
                    guard case .string(let value)? = try? JSON(parsing: Array(literal.utf8)) else { break }
                    return (value, rest)
                }
            }
        }
        throw YAMLFault(line: line, "a text in quotes is not as it must be")
    }

    private static func take(_ rest: inout Substring, inFlow: Bool) -> Substring {
        var end = rest.startIndex
        while end < rest.endIndex {
            let character = rest[end]
            if inFlow, ",]}[{".contains(character) { break }
            if character == "#", end > rest.startIndex, rest[rest.index(before: end)] == " " { break }
            end = rest.index(after: end)
        }
        var found = rest[..<end]
        rest = rest[end...]
        while found.last == " " { found.removeLast() }
        return found
    }

    /// Returns the value of a plain text: null, a boolean, a number or a string.
    private static func plain(_ text: Substring) -> JSON {
        switch text {
        case "", "~", "null": return .null
        case "true": return true
        case "false": return false
        default:
            guard text.first.map({ $0 == "-" || $0.isNumber }) ?? false,
                let number = try? JSON(parsing: Array(text.utf8))
            else {
                return .string(String(text))
            }
            return number
        }
    }
}
