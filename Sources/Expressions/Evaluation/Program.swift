import JSON

/// A formula, ready to be computed.
struct Program: Sendable {
    let step: Step
    /// How many values it is given.
    let inputs: Int
    /// How many it has room for: the inputs and the variables of its macros.
    let slots: Int

    @inline(__always)
    func run(_ value: JSON, _ steps: inout Int) throws(EvaluationFailure) -> JSON {
        try run(&steps) {
            $0.initialize(to: Value(value))
        } finish: { (run, value) throws(EvaluationFailure) in
            try run.json(value)
        }
    }

    @inline(__always)
    func run(_ first: JSON, _ second: JSON, _ steps: inout Int) throws(EvaluationFailure) -> JSON {
        try run(&steps) { slots in
            slots.initialize(to: Value(first))
            (slots + 1).initialize(to: Value(second))
        } finish: { (run, value) throws(EvaluationFailure) in
            try run.json(value)
        }
    }

    func run(_ values: [JSON], _ steps: inout Int) throws(EvaluationFailure) -> JSON {
        try run(&steps) { slots in
            for (place, value) in values.enumerated() { (slots + place).initialize(to: Value(value)) }
        } finish: { (run, value) throws(EvaluationFailure) in
            try run.json(value)
        }
    }

    func run(_ values: [Value]) throws(EvaluationFailure) -> Value {
        var steps = 0
        return try run(&steps) { slots in
            for (place, value) in values.enumerated() { (slots + place).initialize(to: value) }
        } finish: { _, value in
            value
        }
    }

    /// `start` initializes the inputs. The steps that were taken are added to `steps`, also where it fails.
    @inline(__always)
    private func run<Result>(
        _ steps: inout Int, _ start: (UnsafeMutablePointer<Value>) -> Void,
        finish: (inout Run, Value) throws(EvaluationFailure) -> Result
    ) throws(EvaluationFailure) -> Result {
        // The stack's memory, as asking for the heap's would take longer than most formulas.
        let outcome: Swift.Result<Result, EvaluationFailure> = withUnsafeTemporaryAllocation(of: Value.self, capacity: max(slots, 1)) {
            memory in
            guard let first = memory.baseAddress else { return .failure(EvaluationFailure("there is no memory")) }
            start(first)
            (first + inputs).initialize(repeating: .null, count: slots - inputs)
            // One by one, and only what keeps something: a call for each takes longer than most formulas.
            defer { for place in 0..<slots where first[place].keepsMemory { (first + place).deinitialize(count: 1) } }
            var run = Run(slots: first)
            defer { steps += ExpressionLimits.steps - max(0, run.stepsLeft) }
            do throws(EvaluationFailure) {
                return .success(try finish(&run, try step(&run)))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
