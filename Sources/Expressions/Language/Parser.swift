/// The parser: builds a syntax tree from lexemes by the grammar of CEL.
struct Parser {
    private var lexer: Lexer
    private var lexeme: Lexeme
    /// The offset after the last lexeme that was taken.
    private var end = 0
    private var nodes = 0
    /// The number of open brackets, operators and conditionals.
    private var nesting = 0

    init(_ source: String) throws(ExpressionFault) {
        lexer = try Lexer(source)
        lexeme = try lexer.next()
    }

    /// Parses the whole source.
    mutating func formula() throws(ExpressionFault) -> Syntax {
        let syntax = try expression()
        guard case .end = lexeme.form else { throw unexpected("an operator or the end") }
        return syntax
    }

    private mutating func expression() throws(ExpressionFault) -> Syntax {
        try enter()
        defer { nesting -= 1 }
        let condition = try binary(above: 0)
        let offset = lexeme.offset
        guard try takeIf("?") else { return condition }
        // The middle operand cannot be a conditional itself.
        let whenTrue = try binary(above: 0)
        try take(":")
        let whenFalse = try expression()
        return try node(.conditional(condition, whenTrue, whenFalse), [condition, whenTrue, whenFalse], at: offset)
    }

    /// Parses binary operators that bind more tightly than `rank`.
    private mutating func binary(above rank: Int) throws(ExpressionFault) -> Syntax {
        var left = try unary()
        while let (sign, next) = operatorAhead, next > rank {
            let offset = lexeme.offset
            try advance()
            let right = try binary(above: next)
            switch sign {
            case .and, .or:
                var parts = [left, right]
                while operatorAhead?.0 == sign {
                    try advance()
                    parts.append(try binary(above: next))
                }
                left = try node(sign == .and ? .and(parts) : .or(parts), parts, at: offset)
            default:
                left = try node(.binary(sign, left, right), [left, right], at: offset)
            }
        }
        return left
    }

    private var operatorAhead: (BinaryOperator, Int)? {
        switch lexeme.form {
        case .sign(let text): BinaryOperator(rawValue: text).map { ($0, $0.rank) }
        case .word("in"): (.in, BinaryOperator.in.rank)
        default: nil
        }
    }

    private mutating func unary() throws(ExpressionFault) -> Syntax {
        let offset = lexeme.offset
        if try takeIf("!") {
            try enter()
            defer { nesting -= 1 }
            let operand = try unary()
            return try node(.not(operand), [operand], at: offset)
        }
        guard try takeIf("-") else { return try members(of: primary()) }
        // A minus before a number literal belongs to the literal; otherwise the least int could not be written.
        switch lexeme.form {
        case .int(let magnitude):
            guard let value = Int64(exactly: -Int128(magnitude)) else { throw tooGreat(offset) }
            return try members(of: literal(.int(value), at: offset))
        case .double(let value): return try members(of: literal(.double(-value), at: offset))
        default:
            try enter()
            defer { nesting -= 1 }
            let operand = try unary()
            return try node(.negative(operand), [operand], at: offset)
        }
    }

    /// Parses the members, method calls and indices after a value.
    private mutating func members(of primary: Syntax) throws(ExpressionFault) -> Syntax {
        var value = primary
        while true {
            let offset = lexeme.offset
            if try takeIf(".") {
                let name: String
                let isQuoted: Bool
                switch lexeme.form {
                case .word(let word) where !Lexeme.keywords.contains(word): (name, isQuoted) = (word, false)
                case .quoted(let word): (name, isQuoted) = (word, true)
                default: throw unexpected("the name of a member")
                }
                let place = lexeme.offset
                try advance()
                if !isQuoted, try takeIf("(") {
                    let arguments = try expressions(until: ")")
                    value = try node(.method(value, name, arguments), [value] + arguments, at: place)
                } else {
                    value = try node(.member(value, name), [value], at: offset)
                }
            } else if try takeIf("[") {
                let index = try expression()
                try take("]")
                value = try node(.index(value, index), [value, index], at: offset)
            } else {
                return value
            }
        }
    }

    private mutating func primary() throws(ExpressionFault) -> Syntax {
        if let literal = try literal() { return literal }
        switch lexeme.form {
        case .word, .sign("."): return try name()
        case .sign("("):
            let start = lexeme.offset
            try advance()
            var value = try expression()
            try take(")")
            value.range = start..<end
            return value
        case .sign("["): return try list()
        case .sign("{"): return try map()
        default: throw unexpected("a value")
        }
    }

    /// Parses a literal, if there is one. A separate function, so that the recursive functions have smaller stack
    /// frames.
    private mutating func literal() throws(ExpressionFault) -> Syntax? {
        let value: CELValue
        switch lexeme.form {
        case .int(let magnitude):
            guard let whole = Int64(exactly: magnitude) else { throw tooGreat(lexeme.offset) }
            value = .int(whole)
        case .uint(let number): value = .uint(number)
        case .double(let number): value = .double(number)
        case .string(let text): value = .string(text)
        case .bytes(let bytes): value = .bytes(bytes)
        case .word("true"): value = .bool(true)
        case .word("false"): value = .bool(false)
        case .word("null"): value = .null
        default: return nil
        }
        return try literal(value, at: lexeme.offset)
    }

    private mutating func list() throws(ExpressionFault) -> Syntax {
        let offset = lexeme.offset
        try advance()
        let elements = try expressions(until: "]", mayTrail: true)
        return try node(.list(elements), elements, at: offset)
    }

    /// Parses a variable or a call, with an optional leading dot.
    private mutating func name() throws(ExpressionFault) -> Syntax {
        let isAbsolute = try takeIf(".")
        let offset = lexeme.offset
        guard case .word(let name) = lexeme.form, !Lexeme.keywords.contains(name) else { throw unexpected("a name") }
        guard !Lexeme.reserved.contains(name) else {
            throw ExpressionFault("'\(name)' is a reserved word of CEL and cannot be a name", at: offset)
        }
        try advance()
        guard try takeIf("(") else { return try node(.name(name, isAbsolute: isAbsolute), [], at: offset) }
        let arguments = try expressions(until: ")")
        return try node(.call(name, arguments, isAbsolute: isAbsolute), arguments, at: offset)
    }

    /// Parses comma-separated values up to a closing bracket.
    private mutating func expressions(until end: String, mayTrail: Bool = false) throws(ExpressionFault) -> [Syntax] {
        var values: [Syntax] = []
        while try !takeIf(end) {
            if !values.isEmpty {
                try take(",", or: end)
                if mayTrail, try takeIf(end) { break }
            }
            values.append(try expression())
        }
        return values
    }

    private mutating func map() throws(ExpressionFault) -> Syntax {
        let offset = lexeme.offset
        try advance()
        var entries: [(key: Syntax, value: Syntax)] = []
        while try !takeIf("}") {
            if !entries.isEmpty {
                try take(",", or: "}")
                if try takeIf("}") { break }
            }
            let key = try expression()
            try take(":")
            entries.append((key, try expression()))
        }
        return try node(.map(entries), entries.flatMap { [$0.key, $0.value] }, at: offset)
    }
}

extension Parser {
    private mutating func advance() throws(ExpressionFault) {
        end = lexer.position
        lexeme = try lexer.next()
    }

    private mutating func takeIf(_ sign: String) throws(ExpressionFault) -> Bool {
        guard lexeme.form == .sign(sign) else { return false }
        try advance()
        return true
    }

    private mutating func take(_ sign: String, or other: String? = nil) throws(ExpressionFault) {
        guard try takeIf(sign) else { throw unexpected(other.map { "'\(sign)' or '\($0)'" } ?? "'\(sign)'") }
    }

    private mutating func literal(_ value: CELValue, at offset: Int) throws(ExpressionFault) -> Syntax {
        try advance()
        return try node(.literal(value), [], at: offset)
    }

    private mutating func node(_ form: Syntax.Form, _ parts: [Syntax], at offset: Int) throws(ExpressionFault) -> Syntax
    {
        nodes += 1
        guard nodes <= ExpressionLimits.nodes else {
            throw ExpressionFault("the formula has more than \(ExpressionLimits.nodes) parts", at: offset)
        }
        let height = 1 + (parts.map(\.height).max() ?? 0)
        guard height <= ExpressionLimits.nesting else { throw tooDeep(offset) }
        let start = parts.first.map { min($0.range.lowerBound, offset) } ?? offset
        return Syntax(offset: offset, range: start..<max(start, end), id: nodes, height: height, form: form)
    }

    private mutating func enter() throws(ExpressionFault) {
        nesting += 1
        guard nesting <= ExpressionLimits.nesting else { throw tooDeep(lexeme.offset) }
    }

    private func tooDeep(_ offset: Int) -> ExpressionFault {
        ExpressionFault("the formula is nested more than \(ExpressionLimits.nesting) deep", at: offset)
    }

    private func tooGreat(_ offset: Int) -> ExpressionFault {
        ExpressionFault("this number is beyond the range of an int; write it with a u to make it a uint", at: offset)
    }

    private func unexpected(_ expected: String) -> ExpressionFault {
        ExpressionFault("expected \(expected), found \(lexeme.phrase)", at: lexeme.offset)
    }
}
