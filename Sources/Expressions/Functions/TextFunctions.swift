/// The queries on texts, and `size`.
enum TextFunctions {
    static let table = Functions.tables(
        Functions.global("size", size),
        Functions.method("size", size),
        Functions.global2("matches", matches),
        Functions.method2("matches", matches),
        search("contains") { ByteSearch.first($1, in: $0) != nil },
        search("startsWith") { $0.starts(with: $1) },
        search("endsWith") { $0.count >= $1.count && $0[($0.count - $1.count)...].elementsEqual($1) },
        Functions.method2("indexOf") { (text, part, context) throws(EvaluationFailure) in
            try index("indexOf", [text, part], &context)
        },
        Functions.method("indexOf", 2) { (values, context) throws(EvaluationFailure) in
            try index("indexOf", values, &context)
        },
        Functions.method2("lastIndexOf") { (text, part, context) throws(EvaluationFailure) in
            try index("lastIndexOf", [text, part], &context)
        },
        Functions.method("lastIndexOf", 2) { (values, context) throws(EvaluationFailure) in
            try index("lastIndexOf", values, &context)
        })

    @Sendable
    private static func size(
        _ value: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .string(let text):
            try context.scan(text.utf8.count)
            return .int(Int64(text.unicodeScalars.count))
        case .bytes(let bytes): return .int(Int64(bytes.count))
        case .list(let list): return .int(Int64(list.count))
        case .map(let map): return .int(Int64(map.count))
        default: throw .mismatch("size", value)
        }
    }

    @Sendable
    private static func matches(
        _ value: CELValue, _ pattern: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .string(let text) = value, case .string(let source) = pattern else {
            throw .mismatch("matches", value, pattern)
        }
        let pattern: Pattern
        do throws(PatternFault) {
            pattern = try Pattern(source)
        } catch {
            // The reason quotes the pattern, which is computed here.
            throw EvaluationFailure("the pattern of matches is no regular expression of RE2")
        }
        try context.work(source.utf8.count / 4 + pattern.size / 4)
        return .bool(try pattern.matches(text, &context))
    }

    private static func search(
        _ name: String, _ body: @escaping @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> FunctionTable {
        Functions.method2(name) { (value, part, context) throws(EvaluationFailure) in
            guard case .string(var text) = value, case .string(var wanted) = part else {
                throw .mismatch(name, value, part)
            }
            try context.scan(text.utf8.count + wanted.utf8.count)
            return .bool(text.withUTF8 { text in wanted.withUTF8 { wanted in body(text, wanted) } })
        }
    }

    /// Implements `indexOf` and `lastIndexOf`, with or without a start.
    private static func index(
        _ name: String, _ values: [CELValue], _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .string(let text) = values[0], case .string(let part) = values[1] else {
            throw .mismatch(name, values)
        }
        var start: Int64?
        if values.count == 3 {
            guard case .int(let place) = values[2] else { throw .mismatch(name, values) }
            guard place >= 0 else { throw EvaluationFailure("\(name) begins at 0 or later") }
            start = place
        }
        try context.scan(2 * text.utf8.count + part.utf8.count)
        let isLast = name == "lastIndexOf"
        let points = CodePoints(text)
        if part.isEmpty { return .int(start ?? (isLast ? Int64(points.count) : 0)) }
        if let start, start >= points.count {
            guard start == points.count else {
                throw EvaluationFailure("\(name) begins at \(start), beyond the \(points.count) characters of the text")
            }
            return .int(-1)
        }
        let found =
            if isLast {
                // A match begins at `start` at the latest, so the text after such a match is not searched.
                ByteSearch.last(
                    Array(part.utf8),
                    in: points.bytes[..<min(points.bytes.count, points.end(of: start, adding: part.utf8.count))])
            } else {
                ByteSearch.first(Array(part.utf8), in: points.bytes[points.offset(of: Int(start ?? 0))...])
            }
        return .int(found.map { Int64(points.index(at: $0)) } ?? -1)
    }
}

extension CodePoints {
    /// Returns the byte offset at the end of a match of `length` bytes that begins at `start`; the end of the text if
    /// `start` is nil.
    fileprivate func end(of start: Int64?, adding length: Int) -> Int {
        start.map { offset(of: Int($0)) + length } ?? bytes.count
    }
}
