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
