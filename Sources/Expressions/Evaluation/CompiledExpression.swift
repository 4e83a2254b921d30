import JSON

/// A compiled formula.
struct CompiledExpression: Sendable {
    let step: EvaluationStep
    /// The number of inputs.
    let inputs: Int
    /// The number of slots: the inputs and the variables of macros.
    let slots: Int
    /// The conversions of the inputs, in order; empty if no input needs one.
    var readings: [Reading?] = []

    @inline(__always)
    func run(_ value: JSON, _ steps: inout Int) throws(EvaluationFailure) -> JSON {
        try run(&steps) {
            $0.initialize(to: CELValue(value))
        } finish: { (context, value) throws(EvaluationFailure) in
            try context.json(value)
        }
    }

    @inline(__always)
    func run(_ first: JSON, _ second: JSON, _ steps: inout Int) throws(EvaluationFailure) -> JSON {
        try run(&steps) { slots in
            slots.initialize(to: CELValue(first))
            (slots + 1).initialize(to: CELValue(second))
        } finish: { (context, value) throws(EvaluationFailure) in
            try context.json(value)
        }
    }

    func run(_ values: [JSON], _ steps: inout Int) throws(EvaluationFailure) -> JSON {
        try run(&steps) { slots in
            start(values, slots)
        } finish: { (context, value) throws(EvaluationFailure) in
            try context.json(value)
        }
    }

    func run(_ values: [ExpressionInput], _ steps: inout Int) throws(EvaluationFailure) -> JSON {
        try run(&steps) { slots in
            for (place, value) in values.enumerated() {
                guard !readings.isEmpty, let reading = readings[place], case .json(let json) = value else {
                    (slots + place).initialize(to: CELValue(value))
                    continue
                }
                (slots + place).initialize(to: reading.scalar(json))
            }
        } finish: { (context, value) throws(EvaluationFailure) in
            try context.json(value)
        }
    }

    func run(
        _ frame: [ExpressionInput], at places: [Int], _ steps: inout Int
    ) throws(EvaluationFailure) -> JSON {
        try run(&steps) { slots in
            for slot in 0..<inputs {
                let value = frame[places[slot]]
                guard !readings.isEmpty, let reading = readings[slot], case .json(let json) = value else {
                    (slots + slot).initialize(to: CELValue(value))
                    continue
                }
                (slots + slot).initialize(to: reading.scalar(json))
            }
        } finish: { (context, value) throws(EvaluationFailure) in
            try context.json(value)
        }
    }

    private func start(_ values: [JSON], _ slots: UnsafeMutablePointer<CELValue>) {
        for (place, value) in values.enumerated() {
            let reading = readings.isEmpty ? nil : readings[place]
            (slots + place).initialize(to: reading?.scalar(value) ?? CELValue(value))
        }
    }

    /// Evaluates the formula and writes the result as JSON text.
    func text(_ values: [JSON]) throws(EvaluationFailure) -> String {
        var steps = 0
        return try run(&steps) { slots in
            start(values, slots)
        } finish: { (context, value) throws(EvaluationFailure) in
            try context.text(value)
        }
    }

    func run(_ values: [CELValue]) throws(EvaluationFailure) -> CELValue {
        var steps = 0
        return try run(&steps) { slots in
            for (place, value) in values.enumerated() { (slots + place).initialize(to: value) }
        } finish: { _, value in
            value
        }
    }

    /// Evaluates the formula. `start` initializes the inputs. The steps taken are added to `steps`, also on failure.
    @inline(__always)
    private func run<Result>(
        _ steps: inout Int, _ start: (UnsafeMutablePointer<CELValue>) -> Void,
        finish: (inout EvaluationContext, CELValue) throws(EvaluationFailure) -> Result
    ) throws(EvaluationFailure) -> Result {
        // Stack memory: a heap allocation would cost more than most formulas.
        let outcome: Swift.Result<Result, EvaluationFailure> = withUnsafeTemporaryAllocation(
            of: CELValue.self, capacity: max(slots, 1)
        ) {
            memory in
            guard let first = memory.baseAddress else { return .failure(EvaluationFailure("out of memory")) }
            start(first)
            (first + inputs).initialize(repeating: .null, count: slots - inputs)
            // Only slots that own memory are deinitialized, one by one. A call for each slot would cost more than most
            // formulas.
            defer { for place in 0..<slots where first[place].keepsMemory { (first + place).deinitialize(count: 1) } }
            var context = EvaluationContext(slots: first)
            defer { steps += ExpressionLimits.steps - max(0, context.stepsLeft) }
            do throws(EvaluationFailure) {
                return .success(try finish(&context, try step(&context)))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
