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

/// The assembler from a pattern's syntax tree to instructions.
struct PatternAssembler {
    private var instructions: [Instruction] = []

    var finished: [Instruction] { instructions + [.match] }

    mutating func add(_ tree: PatternTree) throws(PatternFault) {
        switch tree {
        case .empty: break
        case .set(let set): try append(.take(set, cost: set.cost))
        case .edge(let edge): try append(.check(edge))
        case .sequence(let parts): for part in parts { try add(part) }
        case .choice(let parts):
            var jumps: [Int] = []
            for (place, part) in parts.enumerated() {
                guard place < parts.count - 1 else {
                    try add(part)
                    break
                }
                let split = try append(.jump(0))
                try add(part)
                jumps.append(try append(.jump(0)))
                instructions[split] = .split(split + 1, instructions.count)
            }
            for jump in jumps { instructions[jump] = .jump(instructions.count) }
        case .repeated(let part, let least, let most):
            for _ in 0..<least {
                let start = instructions.count
                try add(part)
                // A part without instructions repeats without effect, and its loop would never reach the instruction
                // limit.
                if instructions.count == start { return }
            }
            if let most {
                var splits: [Int] = []
                for _ in least..<most {
                    splits.append(try append(.jump(0)))
                    try add(part)
                }
                for split in splits { instructions[split] = .split(split + 1, instructions.count) }
            } else {
                let split = try append(.jump(0))
                try add(part)
                try append(.jump(split))
                instructions[split] = .split(split + 1, instructions.count)
            }
        }
    }

    @discardableResult
    private mutating func append(_ instruction: Instruction) throws(PatternFault) -> Int {
        guard instructions.count < ExpressionLimits.patternInstructions else {
            throw PatternFault(
                "it compiles to more than \(ExpressionLimits.patternInstructions) instructions; repeat less")
        }
        instructions.append(instruction)
        return instructions.count - 1
    }
}
