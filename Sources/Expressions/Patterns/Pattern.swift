/// A regular expression in the syntax of RE2. Matching takes time proportional to the text's length times the pattern's size, whatever they
/// are: all ways in which the pattern may go on are followed at once.
struct Pattern: Sendable {
    private let instructions: [Instruction]

    init(_ source: String) throws(PatternFault) {
        var parser = try PatternParser(source)
        let tree = try parser.pattern()
        var assembler = PatternAssembler()
        try assembler.add(tree)
        instructions = assembler.finished
    }

    /// How many instructions it has.
    var size: Int { instructions.count }

    /// Whether it is found anywhere in a text.
    func matches(_ text: String, _ context: inout EvaluationContext) throws(EvaluationFailure) -> Bool {
        try context.work(size >> 6)
        var search = PatternSearch(instructions)
        return try search.finds(in: text, &context)
    }
}

/// What is wrong with a pattern.
struct PatternFault: Error {
    let description: String

    init(_ description: String) { self.description = "the pattern cannot be read: " + description }
}

/// A step of a pattern's program.
enum Instruction: Sendable {
    /// One character of a set.
    case take(CharacterSet, cost: Int)
    /// Goes on in two places at once.
    case split(Int, Int)
    case jump(Int)
    case check(PatternAssertion)
    case match
}

/// A place between characters.
enum PatternAssertion: Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordEdge, noWordEdge
}

/// A pattern as a tree.
indirect enum PatternTree {
    case empty
    case set(CharacterSet)
    case edge(PatternAssertion)
    case sequence([PatternTree])
    case choice([PatternTree])
    /// From `least` to `most` times; nil is any number.
    case repeated(PatternTree, least: Int, most: Int?)
}
