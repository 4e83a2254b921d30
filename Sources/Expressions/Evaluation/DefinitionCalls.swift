extension Compiler {
    /// Compiles a call of a definition.
    mutating func defined(
        _ name: String, _ arguments: [Syntax], _ body: Syntax
    ) throws(ExpressionFault) -> CompiledPart {
        guard let definition = definitions[name] else {
            return try unknown("unknown function '\(name)'", at: body.offset)
        }
        let outer = locals
        let first = firstLocal
        var values: [(step: EvaluationStep, reading: Reading?)] = []
        var cost = 1
        var lengths: [Int?] = []
        for (index, argument) in arguments.enumerated() {
            // The variables of an argument must not take the places of the arguments before it.
            let part = try compile(argument, with: Array(repeating: ("", nil), count: index))
            values.append((part.step, definition.parameters[index].type.reading))
            cost = .cost(cost, part.cost)
            lengths.append(part.length)
        }
        locals = outer.map { ("", $0.length) }
        defer { locals = outer }
        let result = try compile(body, with: zip(definition.parameters, lengths).map { ($0.name, $1) })
        let (step, place, all) = (result.step, definition.place, values)
        return CompiledPart(cost: .cost(cost, result.cost), length: result.length) {
            (context) throws(EvaluationFailure) in
            try context.step()
            for (index, value) in all.enumerated() {
                let given = try value.step(&context)
                context.slots[first + index] = try value.reading?.value(given, &context) ?? given
            }
            do throws(EvaluationFailure) {
                return try step(&context)
            } catch {
                if context.isSpent { throw error }
                throw EvaluationFailure("in \(place): \(error)")
            }
        }
    }
}
