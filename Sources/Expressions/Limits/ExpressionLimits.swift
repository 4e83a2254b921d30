import JSON

/// How much a formula may be and do. Each limit has a name, and is in `docs/expressions.md`.
public enum ExpressionLimits {
    /// Code points in a formula.
    public static let sourceLength = 16_384
    /// How deep parts of a formula lie within one another; a chain such as `1 + 1 + 1` is as deep as it is long.
    public static let nesting = 48
    /// Parts of a formula: each name, literal, operator and call is one.
    public static let nodes = 4_096
    /// Steps that a formula may cost as far as can be told when it is defined.
    public static let cost = 100_000
    /// How long a list is taken to be that comes from outside, for the price.
    public static let assumedLength = 10
    /// Steps in one evaluation. A part of a formula is a step each time it is computed; what grows with a text or a list takes more.
    public static let steps = 100_000
    /// Bytes of texts, lists and maps that one evaluation may make, counted without what is released meanwhile.
    public static let memoryBytes = 4 << 20
    /// Bytes in one text.
    public static let textBytes = 1 << 20
    /// Bytes of a result that is put together; one that is a value from outside, or a text, is as long as it is.
    public static let resultBytes = 4 << 20
    /// How deep lists and maps lie within one another that are compared, spelt or a result: as deep as JSON is read here.
    public static let resultNesting = JSONReader.depthLimit
    /// Code points in a regular expression.
    public static let patternLength = 1_024
    /// Instructions that a regular expression is compiled to.
    public static let patternInstructions = 4_096
    /// How often a part of a regular expression may be said to repeat, as in RE2.
    public static let patternRepetitions = 1_000
    /// How deep groups of a regular expression lie within one another.
    public static let patternNesting = 50
    /// Places after the point in `format`.
    public static let formatPrecision = 100
}
