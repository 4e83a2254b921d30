/// The lexer: splits a formula into lexemes.
struct Lexer {
    let source: [Unicode.Scalar]
    private(set) var position = 0

    init(_ source: String) throws(ExpressionFault) {
        let scalars = source.unicodeScalars
        guard scalars.count <= ExpressionLimits.sourceLength else {
            throw ExpressionFault(
                "the formula has \(scalars.count) characters; the limit is \(ExpressionLimits.sourceLength)",
                at: ExpressionLimits.sourceLength)
        }
        self.source = Array(scalars)
    }

    /// A lexer of the rest of a text from `start` on. The offsets are those in the whole text.
    init(_ source: [Unicode.Scalar], from start: Int) {
        self.source = source
        position = start
    }

    mutating func next() throws(ExpressionFault) -> Lexeme {
        skipSpace()
        let start = position
        guard let scalar = peek() else { return Lexeme(form: .end, offset: start) }
        if scalar.isNameStart {
            if let literal = try prefixedText() { return Lexeme(form: literal, offset: start) }
            return Lexeme(form: .word(take { $0.isNamePart }), offset: start)
        }
        if scalar.decimalDigit != nil || (scalar == "." && peek(1)?.decimalDigit != nil) {
            return Lexeme(form: try number(), offset: start)
        }
        if scalar == "\"" || scalar == "'" {
            return Lexeme(form: try text(isRaw: false, isBytes: false), offset: start)
        }
        if scalar == "`" { return Lexeme(form: try quotedName(), offset: start) }
        for length in [2, 1] where position + length <= source.count {
            let text = String(String.UnicodeScalarView(source[position..<position + length]))
            guard Self.signs.contains(text) else { continue }
            position += length
            return Lexeme(form: .sign(text), offset: start)
        }
        throw ExpressionFault("unexpected character \(String(scalar).brief)", at: start)
    }

    private static let signs: Set<String> = [
        "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",", "(", ")", "[",
        "]", "{", "}",
    ]

    func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < source.count ? source[position + distance] : nil
    }

    /// Skips `count` characters.
    mutating func advance(_ count: Int = 1) { position += count }

    /// Takes characters while the condition holds.
    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let scalar = peek(), condition(scalar) { position += 1 }
        return String(String.UnicodeScalarView(source[start..<position]))
    }

    private mutating func skipSpace() {
        while let scalar = peek() {
            if scalar == "/", peek(1) == "/" {
                while let scalar = peek(), scalar != "\n" { position += 1 }
            } else if scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" || scalar == "\u{0C}" {
                position += 1
            } else {
                return
            }
        }
    }

    /// Takes `r"…"`, `b"…"` or `br"…"`. Returns nil and takes nothing for a name that begins with these letters.
    private mutating func prefixedText() throws(ExpressionFault) -> Lexeme.Form? {
        var length = 0
        let isBytes = peek() == "b" || peek() == "B"
        if isBytes { length += 1 }
        let isRaw = peek(length) == "r" || peek(length) == "R"
        if isRaw { length += 1 }
        guard length > 0, peek(length) == "\"" || peek(length) == "'" else { return nil }
        advance(length)
        return try text(isRaw: isRaw, isBytes: isBytes)
    }

    /// Takes a member name in backquotes.
    private mutating func quotedName() throws(ExpressionFault) -> Lexeme.Form {
        let start = position
        advance()
        let name = take { $0.isNamePart || $0 == "." || $0 == "-" || $0 == "/" || $0 == " " }
        guard !name.isEmpty, peek() == "`" else {
            throw ExpressionFault(
                "a name in backquotes has only letters, digits, spaces and _ . - /, and ends with a backquote",
                at: start)
        }
        advance()
        return .quoted(name)
    }

    private mutating func number() throws(ExpressionFault) -> Lexeme.Form {
        let start = position
        if peek() == "0", peek(1) == "x" || peek(1) == "X", peek(2)?.hexDigit != nil {
            advance(2)
            return try whole(take { $0.hexDigit != nil }, radix: 16, at: start)
        }
        let digits = take { $0.decimalDigit != nil }
        var isDouble = false
        if peek() == ".", peek(1)?.decimalDigit != nil {
            isDouble = true
            advance()
            _ = take { $0.decimalDigit != nil }
        }
        if let letter = peek(), letter == "e" || letter == "E" {
            let signed = peek(1) == "+" || peek(1) == "-" ? 2 : 1
            if peek(signed)?.decimalDigit != nil {
                isDouble = true
                advance(signed)
                _ = take { $0.decimalDigit != nil }
            }
        }
        guard isDouble else { return try whole(digits, radix: 10, at: start) }
        let text = String(String.UnicodeScalarView(source[start..<position]))
        guard let value = Double(text.hasPrefix(".") ? "0" + text : text), value.isFinite else {
            throw ExpressionFault("this number is beyond the range of a double", at: start)
        }
        return .double(value)
    }

    private mutating func whole(_ digits: String, radix: Int, at start: Int) throws(ExpressionFault) -> Lexeme.Form {
        guard let value = UInt64(digits, radix: radix) else {
            throw ExpressionFault(
                "this number needs more than 64 bits; write it with a fraction to make it a double", at: start)
        }
        guard peek() == "u" || peek() == "U" else { return .int(value) }
        advance()
        return .uint(value)
    }
}

extension Unicode.Scalar {
    var isNameStart: Bool { self == "_" || ("a" <= self && self <= "z") || ("A" <= self && self <= "Z") }
    var isNamePart: Bool { isNameStart || decimalDigit != nil }

    /// The value of a hexadecimal digit.
    var hexDigit: UInt32? {
        switch self {
        case "0"..."9": value - 48
        case "a"..."f": value - 87
        case "A"..."F": value - 55
        default: nil
        }
    }
}
