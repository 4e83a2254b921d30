extension TextFunctions {
    /// The functions from texts to texts.
    static let editing = Functions.tables(
        Functions.method2("charAt") { (value, place, context) throws(EvaluationFailure) in
            guard case .string(let text) = value, case .int(let index) = place else {
                throw .mismatch("charAt", value, place)
            }
            try context.scan(text.utf8.count)
            let points = CodePoints(text)
            guard 0...Int64(points.count) ~= index else { throw outside("charAt") }
            return .string(points.text(Int(index)..<min(Int(index) + 1, points.count)))
        },
        Functions.method2("substring") { (text, start, context) throws(EvaluationFailure) in
            try substring([text, start], &context)
        },
        Functions.method("substring", 2) { (values, context) throws(EvaluationFailure) in
            try substring(values, &context)
        },
        Functions.method("replace", 2) { (values, context) throws(EvaluationFailure) in try replace(values, &context) },
        Functions.method("replace", 3) { (values, context) throws(EvaluationFailure) in try replace(values, &context) },
        Functions.method2("split") { (text, separator, context) throws(EvaluationFailure) in
            try split([text, separator], &context)
        },
        Functions.method("split", 2) { (values, context) throws(EvaluationFailure) in try split(values, &context) },
        Functions.method("join") { (list, context) throws(EvaluationFailure) in try join(list, .string(""), &context) },
        Functions.method2("join") { (list, separator, context) throws(EvaluationFailure) in
            try join(list, separator, &context)
        },
        Functions.method2("format") { (text, arguments, context) throws(EvaluationFailure) in
            try FormatFunction.format(text, arguments, &context)
        },
        rewriting("trim") { text in
            let scalars = text.unicodeScalars
            let start = scalars.drop { $0.properties.isWhitespace }
            guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
            return String(start[...last])
        },
        rewriting("lowerAscii") { text in
            String(decoding: text.utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 + 32 : $0 }, as: UTF8.self)
        },
        rewriting("upperAscii") { text in
            String(decoding: text.utf8.map { $0 &- UInt8(ascii: "a") < 26 ? $0 - 32 : $0 }, as: UTF8.self)
        },
        Functions.method("reverse", reverse),
        Functions.global("strings.quote") { (value, context) throws(EvaluationFailure) in
            guard case .string(let text) = value else { throw .mismatch("strings.quote", value) }
            try context.make(2 * text.utf8.count + 2)
            return .string(quoted(text))
        })

    @Sendable
    static func reverse(
        _ value: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .string(let text) = value else { throw .mismatch("reverse", value) }
        try context.make(text.utf8.count)
        return .string(String(String.UnicodeScalarView(text.unicodeScalars.reversed())))
    }

    /// Returns the table entry of a method whose result is at most as long as its receiver.
    private static func rewriting(_ name: String, _ body: @escaping @Sendable (String) -> String) -> FunctionTable {
        Functions.method(name) { (value, context) throws(EvaluationFailure) in
            guard case .string(let text) = value else { throw .mismatch(name, value) }
            try context.make(text.utf8.count)
            return .string(body(text))
        }
    }

    private static func outside(_ name: String) -> EvaluationFailure {
        EvaluationFailure("\(name): the index is out of range for the text; indices start at 0")
    }

    private static func substring(
        _ values: [CELValue], _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .string(let text) = values[0], case .int(let start) = values[1] else {
            throw .mismatch("substring", values)
        }
        try context.make(text.utf8.count)
        let points = CodePoints(text)
        var end = Int64(points.count)
        if values.count == 3 {
            guard case .int(let place) = values[2] else { throw .mismatch("substring", values) }
            end = place
        }
        guard 0...Int64(points.count) ~= start else { throw outside("substring") }
        guard 0...Int64(points.count) ~= end else { throw outside("substring") }
        guard start <= end else { throw EvaluationFailure("substring ends before its start") }
        return .string(points.text(Int(start)..<Int(end)))
    }

    private static func replace(
        _ values: [CELValue], _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .string(let text) = values[0], case .string(let old) = values[1], case .string(let new) = values[2]
        else {
            throw .mismatch("replace", values)
        }
        var left = Int64.max
        if values.count == 4 {
            guard case .int(let limit) = values[3] else { throw .mismatch("replace", values) }
            left = limit < 0 ? .max : limit
        }
        let bytes = Array(text.utf8)
        let replacement = Array(new.utf8)
        try context.make(bytes.count)
        var result: [UInt8] = []
        var taken = 0
        // An empty `old` matches before each character and at the end.
        for place in Occurrences(of: old, in: bytes) {
            guard left > 0 else { break }
            left -= 1
            try context.step()
            try context.make(replacement.count)
            result += bytes[taken..<place]
            result += replacement
            taken = place + old.utf8.count
        }
        result += bytes[taken...]
        guard result.count <= ExpressionLimits.textBytes else {
            throw EvaluationFailure("replace would make a text longer than \(ExpressionLimits.textBytes) bytes")
        }
        return .string(String(decoding: result, as: UTF8.self))
    }

    private static func split(
        _ values: [CELValue], _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .string(let text) = values[0], case .string(let separator) = values[1] else {
            throw .mismatch("split", values)
        }
        var limit = Int64.max
        if values.count == 3 {
            guard case .int(let count) = values[2] else { throw .mismatch("split", values) }
            limit = count < 0 ? .max : count
        }
        guard limit > 0 else { return .list(.values([])) }
        let bytes = Array(text.utf8)
        try context.make(bytes.count)
        var parts: [CELValue] = []
        var taken = 0
        for place in Occurrences(of: separator, in: bytes) {
            guard parts.count + 1 < limit else { break }
            // An empty separator splits the text into characters, without an empty part at either end.
            if separator.isEmpty, place == 0 || place == bytes.count { continue }
            try context.make(elements: 1)
            parts.append(.string(String(decoding: bytes[taken..<place], as: UTF8.self)))
            taken = place + separator.utf8.count
        }
        if !separator.isEmpty || !bytes.isEmpty {
            parts.append(.string(String(decoding: bytes[taken...], as: UTF8.self)))
        }
        return .list(.values(parts))
    }

    private static func join(
        _ value: CELValue, _ separator: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .list(let list) = value, case .string(let between) = separator else {
            throw .mismatch("join", value, separator)
        }
        var bytes: [UInt8] = []
        for place in 0..<list.count {
            try context.step()
            guard case .string(let part) = list[place] else {
                throw EvaluationFailure("join takes a list of texts; an element is \(list[place].type.phrase)")
            }
            try context.make(part.utf8.count + between.utf8.count)
            if place > 0 { bytes += between.utf8 }
            bytes += part.utf8
            guard bytes.count <= ExpressionLimits.textBytes else {
                throw EvaluationFailure("join would make a text longer than \(ExpressionLimits.textBytes) bytes")
            }
        }
        return .string(String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the text as a CEL literal: in quotes, with escapes for invisible characters.
    private static func quoted(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        result.append("\"")
        for scalar in text.unicodeScalars {
            if let letter = escapes[scalar] {
                result.append("\\")
                result.append(letter)
            } else {
                result.append(scalar)
            }
        }
        result.append("\"")
        return String(result)
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "\u{07}": "a", "\u{08}": "b", "\u{0C}": "f", "\n": "n", "\r": "r", "\t": "t", "\u{0B}": "v", "\\": "\\",
        "\"": "\"",
    ]
}

/// The non-overlapping occurrences of a text in another. An empty text occurs before each character and at the end.
private struct Occurrences: Sequence, IteratorProtocol {
    private let part: [UInt8]
    private let bytes: [UInt8]
    private var position: Int? = 0

    init(of part: String, in bytes: [UInt8]) {
        self.part = Array(part.utf8)
        self.bytes = bytes
    }

    mutating func next() -> Int? {
        guard let start = position else { return nil }
        if part.isEmpty {
            let following =
                start < bytes.count ? bytes[(start + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? bytes.count : nil
            position = following
            return start
        }
        let found = ByteSearch.first(part, in: bytes[start...])
        position = found.map { $0 + part.count }
        return found
    }
}
