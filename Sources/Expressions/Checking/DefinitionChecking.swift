extension Checker {
    /// Checks a call of a definition. Its formula sees its parameters and the declared names, and no variable of the caller.
    mutating func defined(
        _ name: String, _ arguments: [Syntax], _ body: Syntax, _ syntax: Syntax
    ) -> CheckedPart {
        guard let definition = definitions[name] else { return CheckedPart(.dyn) }
        var parameters: [Name] = []
        if arguments.count != definition.parameters.count {
            let count = definition.parameters.count
            fault(
                "\(definition.name) takes \(count == 1 ? "1 value" : "\(count) values"), not \(arguments.count): write \(definition.call)",
                syntax, allowed: [definition.call])
        }
        for (index, argument) in arguments.enumerated() {
            let part = check(argument)
            guard index < definition.parameters.count else {
                use(part, of: argument)
                continue
            }
            let parameter = definition.parameters[index]
            if let mismatch = parameter.type.mismatch(with: part.type.mapped) {
                fault("\(definition.call) takes another type as \(parameter.name): \(mismatch)", argument)
            }
            // A number is converted where it is handed over.
            let isConverted = parameter.type.reading != nil || part.type.reading != nil
            if isConverted { use(part, of: argument) }
            parameters.append(
                Name(name: parameter.name, part: CheckedPart(parameter.type, isConverted ? nil : part.place)))
        }
        guard arguments.count == definition.parameters.count else { return CheckedPart(.dyn) }
        let (outer, text, known) = (locals, source, faults.count)
        (locals, source) = (parameters, definition.scalars)
        let part = check(body)
        if part.type.reading != nil { use(part, of: body) }
        (locals, source) = (outer, text)
        moveFaults(from: known, to: syntax, "in \(definition.name) (\(definition.place)): ")
        return part.type.reading == nil ? part : CheckedPart(part.type)
    }
}
