/// One of the conditions that a formula joins with `&&`.
package struct FormulaCondition: Sendable {
    /// A comparison of two parts, `left == right` or `left in right`.
    package struct ConditionSides: Sendable {
        /// The text of the left part.
        package let left: String
        /// The text of the right part.
        package let right: String
        /// True for `in`.
        package let isMembership: Bool
    }

    /// The text of the condition.
    package let text: String
    /// The comparison; nil for another condition.
    package let sides: ConditionSides?

    /// The conditions of a formula; the whole formula is one if it has no `&&`.
    package static func all(of source: String) -> [FormulaCondition] {
        do throws(ExpressionFault) {
            var parser = try Parser(source)
            var conditions: [FormulaCondition] = []
            let scalars = Array(source.unicodeScalars)
            collect(try parser.formula(), scalars, &conditions)
            return conditions
        } catch {
            return []
        }
    }

    /// The texts of the formulas that a formula joins with `||`; the whole formula is one if it has no `||`.
    package static func alternatives(of source: String) -> [String] {
        do throws(ExpressionFault) {
            var parser = try Parser(source)
            let syntax = try parser.formula()
            guard case .or(let parts) = syntax.form else { return [source] }
            let scalars = Array(source.unicodeScalars)
            return parts.map { text(of: $0, scalars) }
        } catch {
            return [source]
        }
    }

    /// The condition `values.exists(x, part == other)` as a membership, `part in (values).map(x, other)`, where `part` does
    /// not read `x`; nil for another condition.
    package var membership: ConditionSides? {
        do throws(ExpressionFault) {
            var parser = try Parser(text)
            let scalars = Array(text.unicodeScalars)
            guard case .method(let target, "exists", let arguments) = try parser.formula().form, arguments.count == 2,
                case .name(let name, isAbsolute: false) = arguments[0].form,
                case .binary(.equal, let left, let right) = arguments[1].form
            else { return nil }
            func mentions(_ syntax: Syntax) -> Bool {
                var isFound = false
                syntax.forEach { if case .name(name, _) = $0.form { isFound = true } }
                return isFound
            }
            guard mentions(left) != mentions(right) else { return nil }
            let (part, other) = mentions(left) ? (right, left) : (left, right)
            let values = Self.text(of: target, scalars)
            return ConditionSides(
                left: Self.text(of: part, scalars), right: "(\(values)).map(\(name), \(Self.text(of: other, scalars)))",
                isMembership: true)
        } catch {
            return nil
        }
    }

    private static func collect(_ syntax: Syntax, _ source: [Unicode.Scalar], _ all: inout [FormulaCondition]) {
        switch syntax.form {
        case .and(let parts): for part in parts { collect(part, source, &all) }
        case .binary(let sign, let left, let right) where sign == .equal || sign == .in:
            all.append(
                FormulaCondition(
                    text: text(of: syntax, source),
                    sides: ConditionSides(
                        left: text(of: left, source), right: text(of: right, source), isMembership: sign == .in)))
        default: all.append(FormulaCondition(text: text(of: syntax, source), sides: nil))
        }
    }

    private static func text(of syntax: Syntax, _ source: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(source[syntax.range.clamped(to: 0..<source.count)]))
    }

    /// Returns a formula without the spaces that separate no words, so that two writings of one are equal. One with escapes
    /// stays as it is.
    package static func plain(_ source: String) -> String {
        guard !source.contains("\\"), !source.contains("//") else { return source }
        var result: [Character] = []
        var quote: Character?
        var hasSpace = false
        func isWord(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
        }
        for character in source {
            if let open = quote {
                result.append(character)
                if character == open { quote = nil }
            } else if character.isWhitespace {
                hasSpace = true
            } else {
                if hasSpace, isWord(result.last), isWord(character) { result.append(" ") }
                hasSpace = false
                result.append(character)
                if character == "'" || character == "\"" { quote = character }
            }
        }
        return String(result)
    }
}
