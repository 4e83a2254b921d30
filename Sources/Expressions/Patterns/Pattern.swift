/// A regular expression in the syntax of RE2. Matching takes O(text length × pattern size), because it follows all
/// alternatives at once (Thompson's construction).
struct Pattern: Sendable {
    private let instructions: [Instruction]

    init(_ source: String) throws(PatternFault) {
        var parser = try PatternParser(source)
        let tree = try parser.pattern()
        var assembler = PatternAssembler()
        try assembler.add(tree)
        instructions = assembler.finished
    }

    /// The number of instructions.
    var size: Int { instructions.count }

    /// Returns true if the pattern matches anywhere in the text.
    func matches(_ text: String, _ context: inout EvaluationContext) throws(EvaluationFailure) -> Bool {
        try context.work(size >> 6)
        var search = PatternSearch(instructions)
        return try search.finds(in: text, &context)
    }
}

/// The fault of a pattern that cannot be parsed.
struct PatternFault: Error {
    let description: String

    init(_ description: String) { self.description = "invalid pattern: " + description }
}

/// An instruction of a compiled pattern.
enum Instruction: Sendable {
    /// Matches one character of a set.
    case take(CharacterSet, cost: Int)
    /// Continues at two instructions at once.
    case split(Int, Int)
    case jump(Int)
    case check(PatternAssertion)
    case match
}

/// A zero-width assertion.
enum PatternAssertion: Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordEdge, noWordEdge
}

/// The syntax tree of a pattern.
indirect enum PatternTree {
    case empty
    case set(CharacterSet)
    case edge(PatternAssertion)
    case sequence([PatternTree])
    case choice([PatternTree])
    /// A repetition from `least` to `most` times; `most` nil is unbounded.
    case repeated(PatternTree, least: Int, most: Int?)
}
