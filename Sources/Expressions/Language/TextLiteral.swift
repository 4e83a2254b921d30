extension Lexer {
    /// Takes a text literal with one or three quotes at each end.
    mutating func text(isRaw: Bool, isBytes: Bool) throws(ExpressionFault) -> Lexeme.Form {
        let start = position
        let quote = source[start]
        let isTriple = peek(1) == quote && peek(2) == quote
        advance(isTriple ? 3 : 1)
        var text = String.UnicodeScalarView()
        var bytes: [UInt8] = []
        while true {
            guard let scalar = peek() else {
                throw ExpressionFault(
                    "the text that begins here is not closed; end it with \(isTriple ? "three quotes" : "a quote") of the same kind",
                    at: start)
            }
            if scalar == quote, !isTriple || (peek(1) == quote && peek(2) == quote) {
                advance(isTriple ? 3 : 1)
                return isBytes ? .bytes(bytes) : .string(String(text))
            }
            if !isTriple, scalar == "\n" || scalar == "\r" {
                throw ExpressionFault(
                    "a text over several lines needs three quotes at each end; write \\n for a line end", at: position)
            }
            if scalar == "\\", !isRaw {
                let place = position
                switch try escape() {
                case .scalar(let scalar) where isBytes: bytes.append(contentsOf: UTF8.encode(scalar)!)
                case .scalar(let scalar): text.append(scalar)
                case .number(let value) where isBytes: bytes.append(value)
                case .number(let value): text.append(Unicode.Scalar(value))
                case .unicode(let value):
                    if isBytes { throw ExpressionFault("bytes have no \\u escape; write each byte as \\x", at: place) }
                    guard let scalar = Unicode.Scalar(value) else {
                        throw ExpressionFault("not a Unicode code point", at: place)
                    }
                    text.append(scalar)
                }
            } else {
                advance()
                if isBytes { bytes.append(contentsOf: UTF8.encode(scalar)!) } else { text.append(scalar) }
            }
        }
    }

    private enum Escape {
        case scalar(Unicode.Scalar)
        /// A byte in a bytes literal, a character in a text literal.
        case number(UInt8)
        case unicode(UInt32)
    }

    private mutating func escape() throws(ExpressionFault) -> Escape {
        let start = position
        advance()
        guard let letter = peek() else { throw ExpressionFault("a backslash at the end of the formula", at: start) }
        if let scalar = Self.plain[letter] {
            advance()
            return .scalar(scalar)
        }
        switch letter {
        case "x", "X": return .number(UInt8(truncatingIfNeeded: try digits(2, from: start)))
        case "u": return .unicode(try digits(4, from: start))
        case "U": return .unicode(try digits(8, from: start))
        case "0"..."3":
            var value: UInt32 = 0
            for place in 0..<3 {
                guard let digit = peek(place)?.decimalDigit, digit < 8 else {
                    throw ExpressionFault("an octal escape has three digits, as in \\012", at: start)
                }
                value = value * 8 + UInt32(digit)
            }
            advance(3)
            return .number(UInt8(truncatingIfNeeded: value))
        default:
            throw ExpressionFault(
                "unknown escape \\\(letter); write \\\\ for a backslash, or r'…' for a text without escapes", at: start)
        }
    }

    private mutating func digits(_ count: Int, from start: Int) throws(ExpressionFault) -> UInt32 {
        var value: UInt32 = 0
        for place in 1...count {
            guard let digit = peek(place)?.hexDigit else {
                throw ExpressionFault("\\\(source[position]) needs \(count) hexadecimal digits", at: start)
            }
            value = value << 4 | digit
        }
        advance(count + 1)
        return value
    }

    private static let plain: [Unicode.Scalar: Unicode.Scalar] = [
        "a": "\u{07}", "b": "\u{08}", "f": "\u{0C}", "n": "\n", "r": "\r", "t": "\t", "v": "\u{0B}", "\\": "\\",
        "?": "?", "\"": "\"",
        "'": "'", "`": "`",
    ]
}
