/// One evaluation: where its values lie, and what it may still use up.
struct EvaluationContext {
    /// Inputs first, then the variables of macros.
    let slots: UnsafeMutablePointer<CELValue>
    private(set) var stepsLeft = ExpressionLimits.steps
    private(set) var bytesLeft = ExpressionLimits.memoryBytes
    private(set) var resultBytesLeft = ExpressionLimits.resultBytes

    init(slots: UnsafeMutablePointer<CELValue>) { self.slots = slots }

    /// Whether a limit was reached: such a failure is never passed over, as another failure is in `true || failing`.
    var isSpent: Bool { stepsLeft < 0 || bytesLeft < 0 }

    /// What lies in a slot, where it is an int.
    @inline(__always)
    func int(at slot: Int) -> Int64? {
        if case .int(let value) = slots[slot] { value } else { nil }
    }

    /// Takes one step.
    @inline(__always)
    mutating func step() throws(EvaluationFailure) {
        stepsLeft &-= 1
        if stepsLeft < 0 { throw Self.tooLong }
    }

    /// Takes the steps for going through so many bytes.
    @inline(__always)
    mutating func scan(_ bytes: Int) throws(EvaluationFailure) {
        try work(bytes >> 5)
    }

    /// Takes so many steps.
    @inline(__always)
    mutating func work(_ steps: Int) throws(EvaluationFailure) {
        if steps > stepsLeft {
            stepsLeft = -1
            throw Self.tooLong
        }
        stepsLeft &-= steps
    }

    /// Takes the room and the steps for a text of so many bytes. To be asked before the text is made.
    mutating func make(_ bytes: Int) throws(EvaluationFailure) {
        try scan(bytes)
        guard bytes <= ExpressionLimits.textBytes else {
            bytesLeft = -1
            throw EvaluationFailure("a text would be longer than \(ExpressionLimits.textBytes) bytes")
        }
        try take(bytes)
    }

    /// Takes the room for a list or a map of so many elements.
    mutating func make(elements: Int) throws(EvaluationFailure) {
        try work(elements)
        try take(elements * MemoryLayout<CELValue>.stride)
    }

    /// Adds an entry to a map, with the steps and the room that it takes.
    mutating func insert(_ key: CELValue, _ value: CELValue, into entries: inout Entries) throws(EvaluationFailure) {
        try make(elements: 4)
        try scan(key.textBytes)
        try entries.insert(key, value)
    }

    private mutating func take(_ bytes: Int) throws(EvaluationFailure) {
        bytesLeft -= bytes
        if bytesLeft < 0 { throw EvaluationFailure("this makes more than \(ExpressionLimits.memoryBytes) bytes of texts and lists") }
    }

    /// Takes a step and the room for a part of the result with a text of so many bytes.
    mutating func result(_ bytes: Int) throws(EvaluationFailure) {
        try step()
        // What is written around each part counts too.
        resultBytesLeft -= bytes + 4
        if resultBytesLeft < 0 { throw EvaluationFailure("the result is larger than \(ExpressionLimits.resultBytes) bytes") }
    }

    private static var tooLong: EvaluationFailure {
        EvaluationFailure("this takes more than \(ExpressionLimits.steps) steps")
    }
}

/// Computes a part of a formula.
typealias EvaluationStep = @Sendable (inout EvaluationContext) throws(EvaluationFailure) -> CELValue
