/// The parser for the syntax of RE2.
struct PatternParser {
    private let source: [Unicode.Scalar]
    private var position = 0
    private var nesting = 0
    private var flags = Flags()

    /// The flags of `(?ims)`. The flag `U` changes the preferred match, not its existence.
    private struct Flags {
        var ignoresCase = false
        var isMultiline = false
        var dotTakesNewline = false
    }

    init(_ text: String) throws(PatternFault) {
        guard text.unicodeScalars.count <= ExpressionLimits.patternLength else {
            throw PatternFault("it has more than \(ExpressionLimits.patternLength) characters")
        }
        source = Array(text.unicodeScalars)
    }

    /// Parses the whole pattern.
    mutating func pattern() throws(PatternFault) -> PatternTree {
        let tree = try choice()
        guard position == source.count else { throw PatternFault("unmatched ); write \\) for the character") }
        return tree
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < source.count ? source[position + distance] : nil
    }

    private mutating func takeIf(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        position += 1
        return true
    }

    private mutating func choice() throws(PatternFault) -> PatternTree {
        var parts = [try sequence()]
        while takeIf("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(PatternFault) -> PatternTree {
        var parts: [PatternTree] = []
        while let scalar = peek(), scalar != "|", scalar != ")" {
            if scalar == "\\", peek(1) == "Q" {
                parts += quoted()
                if let last = parts.popLast() { parts.append(try repetition(of: last)) }
            } else if let part = try atom() {
                parts.append(try repetition(of: part))
            }
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// Parses `\Q…\E`: literal characters.
    private mutating func quoted() -> [PatternTree] {
        position += 2
        var parts: [PatternTree] = []
        while let scalar = peek() {
            if scalar == "\\", peek(1) == "E" {
                position += 2
                break
            }
            position += 1
            parts.append(.set(CharacterSet(scalar, ignoresCase: flags.ignoresCase)))
        }
        return parts
    }

    private mutating func repetition(of part: PatternTree) throws(PatternFault) -> PatternTree {
        guard let (least, most) = try counts() else { return part }
        // A lazy repetition prefers another match, but a match exists for both.
        _ = takeIf("?")
        let start = position
        if try counts() != nil {
            throw PatternFault("it repeats a repetition at character \(start); put the inner one in parentheses")
        }
        return .repeated(part, least: least, most: most)
    }

    private mutating func counts() throws(PatternFault) -> (Int, Int?)? {
        if takeIf("*") { return (0, nil) }
        if takeIf("+") { return (1, nil) }
        if takeIf("?") { return (0, 1) }
        guard peek() == "{" else { return nil }
        let start = position
        position += 1
        guard let least = number() else {
            position = start
            return nil
        }
        var most: Int? = least
        if takeIf(",") { most = number() }
        // Other text in curly brackets is literal.
        guard takeIf("}") else {
            position = start
            return nil
        }
        guard max(least, most ?? 0) <= ExpressionLimits.patternRepetitions, least <= most ?? .max else {
            throw PatternFault("a repetition {m,n} needs m <= n <= \(ExpressionLimits.patternRepetitions)")
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = peek()?.decimalDigit {
            value = min((value ?? 0) * 10 + digit, 1_000_000)
            position += 1
        }
        return value
    }

    /// Parses one repeatable part; nil for flags, which match nothing.
    private mutating func atom() throws(PatternFault) -> PatternTree? {
        guard let scalar = peek() else { return nil }
        switch scalar {
        case "(": return try group()
        case "[": return .set(try bracket())
        case "*", "+", "?":
            throw PatternFault("nothing to repeat before \(scalar); write \\\(scalar) for the character")
        case "{":
            if try counts() != nil { throw PatternFault("nothing to repeat before {") }
        case "\\":
            position += 1
            return try escaped()
        default: break
        }
        position += 1
        switch scalar {
        case ".": return .set(flags.dotTakesNewline ? .any : .anyButNewline)
        case "^": return .edge(flags.isMultiline ? .lineStart : .textStart)
        case "$": return .edge(flags.isMultiline ? .lineEnd : .textEnd)
        default: return .set(CharacterSet(scalar, ignoresCase: flags.ignoresCase))
        }
    }

    private mutating func group() throws(PatternFault) -> PatternTree? {
        position += 1
        let outside = flags
        if takeIf("?") {
            if takeIf("P") {
                guard takeIf("<") else { throw PatternFault("(?P needs a <name>") }
                try groupName()
            } else if peek() == "<", peek(1) != "=", peek(1) != "!" {
                position += 1
                try groupName()
            } else if try switches() {
                return nil
            }
        }
        nesting += 1
        guard nesting <= ExpressionLimits.patternNesting else {
            throw PatternFault("its groups are nested more than \(ExpressionLimits.patternNesting) deep")
        }
        let tree = try choice()
        guard takeIf(")") else { throw PatternFault("unclosed (; write \\( for the character") }
        nesting -= 1
        flags = outside
        return tree
    }

    private mutating func groupName() throws(PatternFault) {
        let start = position
        while let scalar = peek(), scalar.isNamePart { position += 1 }
        guard position > start, takeIf(">") else {
            throw PatternFault("a group name has only letters and digits, and ends with >")
        }
    }

    /// Parses the flags between `(?` and `:` or `)`. Returns true if the group has flags only.
    private mutating func switches() throws(PatternFault) -> Bool {
        var isOn = true
        var count = 0
        while let scalar = peek() {
            position += 1
            count += 1
            switch scalar {
            case "i": flags.ignoresCase = isOn
            case "m": flags.isMultiline = isOn
            case "s": flags.dotTakesNewline = isOn
            case "U": break
            case "-" where isOn: isOn = false
            case ":": return false
            case ")" where count > 1: return true
            default:
                throw PatternFault(
                    "(?\(scalar) is not supported: RE2 has only (?:…), (?P<name>…) and (?imsU), and no look-around")
            }
        }
        throw PatternFault("unclosed (")
    }
}

extension PatternParser {
    /// Parses an escape outside of brackets, after its backslash.
    private mutating func escaped() throws(PatternFault) -> PatternTree {
        guard let letter = peek() else { throw PatternFault("it ends with a backslash; write \\\\ for the character") }
        if let edge = Self.edges[letter] {
            position += 1
            return .edge(edge)
        }
        if let set = try escapedSet() { return .set(set) }
        return .set(CharacterSet(try escapedScalar(), ignoresCase: flags.ignoresCase))
    }

    private static let edges: [Unicode.Scalar: PatternAssertion] = [
        "A": .textStart, "z": .textEnd, "b": .wordEdge, "B": .noWordEdge,
    ]

    /// Parses `\d`, `\pL` and the like. Returns nil and takes nothing for other text.
    private mutating func escapedSet() throws(PatternFault) -> CharacterSet? {
        let sets: [Unicode.Scalar: CharacterSet] = [
            "d": .digits, "D": .digits.negated, "s": .spaces, "S": .spaces.negated, "w": .word, "W": .word.negated,
        ]
        guard let letter = peek() else { return nil }
        if let set = sets[letter] {
            position += 1
            return set
        }
        guard letter == "p" || letter == "P" else { return nil }
        position += 1
        var name = String.UnicodeScalarView()
        var isNegated = letter == "P"
        if takeIf("{") {
            if takeIf("^") { isNegated.toggle() }
            while let scalar = peek(), scalar != "}" {
                name.append(scalar)
                position += 1
            }
            guard takeIf("}") else { throw PatternFault("\\p{ needs a closing }") }
        } else if let scalar = peek() {
            name.append(scalar)
            position += 1
        }
        guard var set = CharacterSet.property(String(name)) else {
            throw PatternFault(
                "unknown \\p\(String(name).brief); supported are the general categories, such as \\p{Lu}, and the most common scripts"
            )
        }
        set.ignoresCase = flags.ignoresCase
        return isNegated ? set.negated : set
    }

    private mutating func escapedScalar() throws(PatternFault) -> Unicode.Scalar {
        guard let letter = peek() else { throw PatternFault("it ends with a backslash") }
        position += 1
        if let plain = Self.plain[letter] { return plain }
        switch letter {
        case "x": return try hexadecimal()
        case "0"..."7":
            // A single digit other than 0 would be a back-reference.
            guard letter == "0" || (peek()?.decimalDigit ?? 9) < 8 else { break }
            var value = letter.value - 48
            for _ in 0..<2 {
                guard let digit = peek()?.decimalDigit, digit < 8 else { break }
                value = value * 8 + UInt32(digit)
                position += 1
            }
            guard let scalar = Unicode.Scalar(value) else { break }
            return scalar
        default:
            if letter.isASCII, letter == "_" || !letter.isNamePart { return letter }
        }
        throw PatternFault(
            "unknown escape \\\(letter); RE2 has no back-references")
    }

    private static let plain: [Unicode.Scalar: Unicode.Scalar] = [
        "a": "\u{07}", "f": "\u{0C}", "n": "\n", "r": "\r", "t": "\t", "v": "\u{0B}",
    ]

    private mutating func hexadecimal() throws(PatternFault) -> Unicode.Scalar {
        var value: UInt32 = 0
        var count = 0
        let isLong = takeIf("{")
        while count < (isLong ? 8 : 2), let digit = peek()?.hexDigit {
            value = value << 4 | digit
            position += 1
            count += 1
        }
        guard isLong ? count > 0 && takeIf("}") : count == 2, let scalar = Unicode.Scalar(value) else {
            throw PatternFault("\\x needs two hexadecimal digits, or a code point as in \\x{1F600}")
        }
        return scalar
    }

    /// Parses `[…]`.
    private mutating func bracket() throws(PatternFault) -> CharacterSet {
        position += 1
        var set = CharacterSet([])
        set.ignoresCase = flags.ignoresCase
        set.isNegated = takeIf("^")
        var isFirst = true
        while let scalar = peek(), isFirst || scalar != "]" {
            isFirst = false
            if scalar == "[", peek(1) == ":", let named = try named() {
                set.others.append(named)
                continue
            }
            if scalar == "\\" {
                position += 1
                if let other = try escapedSet() {
                    set.others.append(other)
                    continue
                }
                position -= 1
            }
            let low = try member()
            var high = low
            if peek() == "-", let end = peek(1), end != "]" {
                position += 1
                high = try member()
            }
            guard low.value <= high.value else {
                throw PatternFault("a range in [] must go from a lower character to a higher one")
            }
            set.ranges.append(low.value...high.value)
        }
        guard takeIf("]") else { throw PatternFault("unclosed [; write \\[ for the character") }
        return set
    }

    private mutating func member() throws(PatternFault) -> Unicode.Scalar {
        guard let scalar = peek() else { throw PatternFault("unclosed [") }
        position += 1
        return scalar == "\\" ? try escapedScalar() : scalar
    }

    /// Parses `[:alpha:]`. Returns nil and takes nothing if there is no `:]`.
    private mutating func named() throws(PatternFault) -> CharacterSet? {
        var end = position + 2
        while end + 1 < source.count, source[end] != "]", source[end] != ":" { end += 1 }
        guard end + 1 < source.count, source[end] == ":", source[end + 1] == "]" else { return nil }
        var name = String(String.UnicodeScalarView(source[(position + 2)..<end]))
        let isNegated = name.hasPrefix("^")
        if isNegated { name.removeFirst() }
        guard var set = CharacterSet.named[name] else {
            throw PatternFault("[:\(name):] is unknown; the classes are \(CharacterSet.named.keys.sorted())")
        }
        set.ignoresCase = flags.ignoresCase
        position = end + 2
        return isNegated ? set.negated : set
    }
}
