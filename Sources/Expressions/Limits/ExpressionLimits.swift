import JSON

/// The limits on the size and the work of a formula. `docs/expressions.md` lists each by its name.
package enum ExpressionLimits {
    /// Code points of a formula.
    package static let sourceLength = 16_384
    /// Nesting depth of a formula's parts. A chain such as `1 + 1 + 1` is as deep as it is long.
    package static let nesting = 48
    /// Parts of a formula: each name, literal, operator and call is one.
    package static let nodes = 4_096
    /// Estimated steps of a formula, checked when it is defined.
    package static let cost = 100_000
    /// The assumed length of an input list, for the estimated cost.
    package static let assumedLength = 10
    /// Steps of one evaluation. Each evaluation of a part is a step; a part that reads a text or a list takes more.
    package static let steps = 100_000
    /// Bytes of texts, lists and maps that one evaluation may allocate. Memory released meanwhile still counts.
    package static let memoryBytes = 4 << 20
    /// Bytes of one text.
    package static let textBytes = 1 << 20
    /// Bytes of a result that the formula composes. A result that is an unchanged input, or a text, is not limited
    /// here.
    package static let resultBytes = 4 << 20
    /// Nesting depth of lists and maps that are compared, formatted or returned: the depth limit of the JSON reader.
    package static let resultNesting = JSONReader.depthLimit
    /// Code points of a regular expression.
    package static let patternLength = 1_024
    /// Instructions of a compiled regular expression.
    package static let patternInstructions = 4_096
    /// Repetitions in `{…}` of a regular expression, as in RE2.
    package static let patternRepetitions = 1_000
    /// Nesting depth of groups in a regular expression.
    package static let patternNesting = 50
    /// Decimal places in `format`.
    package static let formatPrecision = 100
}
