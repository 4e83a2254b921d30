/// The state of one evaluation: its slots and the rest of its limits.
struct EvaluationContext {
    /// The inputs, followed by the variables of macros.
    let slots: UnsafeMutablePointer<CELValue>
    private(set) var stepsLeft = ExpressionLimits.steps
    private(set) var bytesLeft = ExpressionLimits.memoryBytes
    private(set) var resultBytesLeft = ExpressionLimits.resultBytes

    init(slots: UnsafeMutablePointer<CELValue>) { self.slots = slots }

    /// True if the evaluation exceeded a limit. `||` and macros never ignore such a failure; they ignore others, as in
    /// `true || failing`.
    var isSpent: Bool { stepsLeft < 0 || bytesLeft < 0 }

    /// Returns the value of a slot if it is an int.
    @inline(__always)
    func int(at slot: Int) -> Int64? {
        if case .int(let value) = slots[slot] { value } else { nil }
    }

    /// Counts one step.
    @inline(__always)
    mutating func step() throws(EvaluationFailure) {
        stepsLeft &-= 1
        if stepsLeft < 0 { throw Self.tooLong }
    }

    /// Counts the steps of a pass over `bytes` bytes: one for 32 bytes.
    @inline(__always)
    mutating func scan(_ bytes: Int) throws(EvaluationFailure) {
        try work(bytes >> 5)
    }

    /// Counts `steps` steps.
    @inline(__always)
    mutating func work(_ steps: Int) throws(EvaluationFailure) {
        if steps > stepsLeft {
            stepsLeft = -1
            throw Self.tooLong
        }
        stepsLeft &-= steps
    }

    /// Counts the memory and the steps of a new text. Called before the text is created.
    mutating func make(_ bytes: Int) throws(EvaluationFailure) {
        try scan(bytes)
        guard bytes <= ExpressionLimits.textBytes else {
            bytesLeft = -1
            throw EvaluationFailure("a text would be longer than \(ExpressionLimits.textBytes) bytes")
        }
        try take(bytes)
    }

    /// Counts the memory and the steps of a list or a map with `elements` elements.
    mutating func make(elements: Int) throws(EvaluationFailure) {
        try work(elements)
        try take(elements * MemoryLayout<CELValue>.stride)
    }

    /// Adds an entry to a map and counts its steps and memory.
    mutating func insert(_ key: CELValue, _ value: CELValue, into entries: inout Entries) throws(EvaluationFailure) {
        try make(elements: 4)
        try scan(key.textBytes)
        try entries.insert(key, value)
    }

    private mutating func take(_ bytes: Int) throws(EvaluationFailure) {
        bytesLeft -= bytes
        if bytesLeft < 0 {
            throw EvaluationFailure("this makes more than \(ExpressionLimits.memoryBytes) bytes of texts and lists")
        }
    }

    /// Counts a step and the size of one part of the result with a text of `bytes` bytes.
    mutating func result(_ bytes: Int) throws(EvaluationFailure) {
        try step()
        // The four bytes stand for the punctuation around the part.
        resultBytesLeft -= bytes + 4
        if resultBytesLeft < 0 {
            throw EvaluationFailure("the result is larger than \(ExpressionLimits.resultBytes) bytes")
        }
    }

    static var tooLong: EvaluationFailure {
        EvaluationFailure("this takes more than \(ExpressionLimits.steps) steps")
    }
}

/// A compiled closure that evaluates a part of a formula.
typealias EvaluationStep = @Sendable (inout EvaluationContext) throws(EvaluationFailure) -> CELValue

extension EvaluationContext {
    /// Returns true if two values are equal. Numbers compare by numeric value across types; values of different other
    /// types are not equal.
    mutating func equal(_ left: CELValue, _ right: CELValue, depth: Int = 0) throws(EvaluationFailure) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): return left == right
        case (.string(let left), .string(let right)):
            try scan(left.utf8.count)
            return ExactText(left) == ExactText(right)
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.bytes(let left), .bytes(let right)):
            try scan(left.count)
            return left == right
        case (.timestamp(let left), .timestamp(let right)): return left == right
        case (.duration(let left), .duration(let right)): return left == right
        case (.type(let left), .type(let right)): return left == right
        case (.list(let left), .list(let right)): return try equal(left, right, depth)
        case (.map(let left), .map(let right)): return try equal(left, right, depth)
        case (.decimal, .double), (.double, .decimal): throw .mismatch("==", left, right)
        default: return left.numericOrder(right) == .equal
        }
    }

    private mutating func equal(_ left: CELList, _ right: CELList, _ depth: Int) throws(EvaluationFailure) -> Bool {
        try descend(depth)
        guard left.count == right.count else { return false }
        for place in 0..<left.count {
            try step()
            if try !equal(left[place], right[place], depth: depth + 1) { return false }
        }
        return true
    }

    private mutating func equal(_ left: CELMap, _ right: CELMap, _ depth: Int) throws(EvaluationFailure) -> Bool {
        try descend(depth)
        guard left.count == right.count else { return false }
        for place in 0..<left.count {
            try step()
            let key = left.key(at: place)
            try scan(key.textBytes)
            guard let other = right.value(of: key), try equal(left.value(at: place), other, depth: depth + 1) else {
                return false
            }
        }
        return true
    }

    /// Returns the order of two values; nil if there is none, as for NaN.
    mutating func order(_ left: CELValue, _ right: CELValue, for name: String) throws(EvaluationFailure) -> Ordering? {
        switch (left, right) {
        case (.int(let left), .int(let right)): return Ordering(left, right)
        case (.string(let left), .string(let right)):
            try scan(min(left.utf8.count, right.utf8.count))
            return Ordering(ExactText(left), ExactText(right))
        case (.bool(let left), .bool(let right)): return Ordering(left ? 1 : 0, right ? 1 : 0)
        case (.bytes(let left), .bytes(let right)):
            try scan(min(left.count, right.count))
            return left == right ? .equal : left.lexicographicallyPrecedes(right) ? .less : .greater
        case (.timestamp(let left), .timestamp(let right)): return Ordering(left, right)
        case (.duration(let left), .duration(let right)): return Ordering(left, right)
        default:
            guard left.isNumber, right.isNumber else { throw .mismatch(name, left, right) }
            switch (left, right) {
            case (.decimal, .double), (.double, .decimal): throw .mismatch(name, left, right)
            default: return left.numericOrder(right)
            }
        }
    }
}
