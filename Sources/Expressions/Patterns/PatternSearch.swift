/// The simulation of a pattern: follows all its alternatives at once, character by character.
struct PatternSearch {
    private let instructions: [Instruction]
    /// The instructions that wait for the next character.
    private var waiting: [Int] = []
    /// The last character position at which each instruction was reached, so that each is visited once per position.
    private var reached: [Int]
    private var stack: [Int] = []
    private var work = 0
    /// True if the search reached the end of the pattern.
    private var isFound = false

    init(_ instructions: [Instruction]) {
        self.instructions = instructions
        reached = Array(repeating: -1, count: instructions.count)
    }

    mutating func finds(in text: String, _ context: inout EvaluationContext) throws(EvaluationFailure) -> Bool {
        var before: Unicode.Scalar?
        var place = 0
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        var ways: [Int] = []
        while true {
            swap(&ways, &waiting)
            waiting.removeAll(keepingCapacity: true)
            // The waiting instructions have matched the previous character. A match may also begin at this position.
            for way in ways { follow(way, place, before, next) }
            follow(0, place, before, next)
            if isFound { return true }
            guard let scalar = next else { return false }
            // Sixteen instructions are small enough to count as one step.
            if work >= 16 {
                try context.work(work >> 4)
                work &= 15
            }
            var kept = 0
            for way in waiting {
                guard case .take(let set, let cost) = instructions[way] else { continue }
                work += cost
                guard set.contains(scalar) else { continue }
                waiting[kept] = way + 1
                kept += 1
            }
            waiting.removeLast(waiting.count - kept)
            before = scalar
            next = scalars.next()
            place += 1
        }
    }

    /// Follows an instruction up to those that match a character.
    private mutating func follow(_ start: Int, _ place: Int, _ before: Unicode.Scalar?, _ next: Unicode.Scalar?) {
        stack.append(start)
        while let at = stack.popLast() {
            guard reached[at] != place else { continue }
            reached[at] = place
            work += 1
            switch instructions[at] {
            case .take: waiting.append(at)
            case .jump(let target): stack.append(target)
            case .split(let one, let other):
                stack.append(other)
                stack.append(one)
            case .check(let edge): if edge.holds(before, next) { stack.append(at + 1) }
            case .match: isFound = true
            }
        }
    }
}

extension PatternAssertion {
    func holds(_ before: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
        switch self {
        case .textStart: before == nil
        case .textEnd: next == nil
        case .lineStart: before == nil || before == "\n"
        case .lineEnd: next == nil || next == "\n"
        case .wordEdge: Self.isWord(before) != Self.isWord(next)
        case .noWordEdge: Self.isWord(before) == Self.isWord(next)
        }
    }

    // In RE2, `\b` knows ASCII words only.
    private static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { $0.isNamePart } ?? false
    }
}
