/// A formula with a name and parameters, which other formulas call as a function.
package struct Definition: Sendable {
    /// The name of the function.
    package let name: String
    /// The parameters, in order.
    package let parameters: [(name: String, type: ExpressionType)]
    /// The place of the formula, for messages.
    package let place: String
    /// The formula.
    package let source: String
    let scalars: [Unicode.Scalar]
    let body: Syntax

    /// Parses a definition. Its types are checked where it is called.
    package init(
        _ name: String, _ parameters: [(name: String, type: ExpressionType)], _ source: String, at place: String
    ) throws(ExpressionFaults) {
        do throws(ExpressionFault) {
            var parser = try Parser(source)
            body = try parser.formula()
        } catch {
            throw ExpressionFaults([error])
        }
        (self.name, self.parameters, self.source, self.place) = (name, parameters, source, place)
        scalars = Array(source.unicodeScalars)
    }

    /// The names of the functions that the formula calls.
    package var calls: Set<String> {
        var names: Set<String> = []
        body.forEach { if case .call(let name, _, _) = $0.form { names.insert(name) } }
        return names
    }

    /// A call with its parameters, as `open(row)`.
    var call: String { "\(name)(\(parameters.map(\.name).joined(separator: ", ")))" }

    /// Returns true if formulas use a name otherwise, so that no definition can have it.
    package static func isTaken(_ name: String) -> Bool {
        Functions.isKnown(name, isStrict: false) || ["has", "newId", "index", "text"].contains(name)
            || CELType(rawValue: name) != nil || Lexeme.reserved.contains(name) || Lexeme.keywords.contains(name)
    }
}

extension Syntax {
    /// Calls `body` with this part and all parts within it.
    func forEach(_ body: (Syntax) -> Void) {
        body(self)
        for part in form.parts { part.forEach(body) }
    }
}

extension Syntax.Form {
    /// The parts within the form.
    var parts: [Syntax] {
        switch self {
        case .literal, .name: []
        case .member(let operand, _), .not(let operand), .negative(let operand): [operand]
        case .index(let operand, let index): [operand, index]
        case .call(_, let parts, _), .list(let parts), .and(let parts), .or(let parts): parts
        case .method(let target, _, let arguments): [target] + arguments
        case .map(let entries): entries.flatMap { [$0.key, $0.value] }
        case .binary(_, let left, let right): [left, right]
        case .conditional(let condition, let first, let second): [condition, first, second]
        case .defined(_, let arguments, let body): arguments + [body]
        }
    }

    /// Returns the form with other parts, of which there are as many.
    func with(_ parts: [Syntax]) -> Syntax.Form {
        switch self {
        case .literal, .name: self
        case .member(_, let name): .member(parts[0], name)
        case .not: .not(parts[0])
        case .negative: .negative(parts[0])
        case .index: .index(parts[0], parts[1])
        case .call(let name, _, let isAbsolute): .call(name, parts, isAbsolute: isAbsolute)
        case .list: .list(parts)
        case .and: .and(parts)
        case .or: .or(parts)
        case .method(_, let name, _): .method(parts[0], name, Array(parts.dropFirst()))
        case .map: .map(stride(from: 0, to: parts.count, by: 2).map { (key: parts[$0], value: parts[$0 + 1]) })
        case .binary(let sign, _, _): .binary(sign, parts[0], parts[1])
        case .conditional: .conditional(parts[0], parts[1], parts[2])
        case .defined(let definition, _, _):
            .defined(definition, Array(parts.dropLast()), parts[parts.count - 1])
        }
    }
}

/// The replacement of calls of definitions by their formulas.
struct DefinitionExpansion {
    private let definitions: [String: Definition]
    /// The number of parts so far, each of which has its identity.
    private var parts: Int
    /// The definitions that are being replaced.
    private var open: [String] = []

    /// Returns a formula with the definitions that it calls.
    static func expand(
        _ syntax: Syntax, _ definitions: [String: Definition]
    ) throws(ExpressionFault) -> Syntax {
        guard !definitions.isEmpty else { return syntax }
        // The part made last has the greatest identity.
        var expansion = DefinitionExpansion(definitions: definitions, parts: syntax.id)
        return try expansion.expand(syntax, at: nil)
    }

    private init(definitions: [String: Definition], parts: Int) {
        (self.definitions, self.parts) = (definitions, parts)
    }

    /// Expands a part; `offset` is the place of the call in the formula for a part of a definition.
    private mutating func expand(_ syntax: Syntax, at offset: Int?) throws(ExpressionFault) -> Syntax {
        var inner: [Syntax] = []
        for part in syntax.form.parts { inner.append(try expand(part, at: offset)) }
        let place = offset ?? syntax.offset
        var form = syntax.form.with(inner)
        if case .call(let name, let arguments, isAbsolute: false) = form, let definition = definitions[name] {
            guard !open.contains(name) else {
                throw ExpressionFault("\(name) calls itself: a definition cannot be recursive", at: place)
            }
            open.append(name)
            defer { open.removeLast() }
            let body = try expand(definition.body, at: place)
            inner = arguments + [body]
            form = .defined(definition, arguments, body)
        }
        let height = 1 + (inner.map(\.height).max() ?? 0)
        guard height <= ExpressionLimits.nesting else {
            throw ExpressionFault(
                "with its definitions the formula is nested more than \(ExpressionLimits.nesting) deep", at: place)
        }
        var id = syntax.id
        if offset != nil {
            parts += 1
            id = parts
        }
        guard parts <= ExpressionLimits.nodes else {
            throw ExpressionFault(
                "with its definitions the formula has more than \(ExpressionLimits.nodes) parts", at: place)
        }
        return Syntax(offset: syntax.offset, range: syntax.range, id: id, height: height, form: form)
    }
}

extension Checker {
    /// Checks a call of a definition. Its formula sees its parameters and the declared names, and no variable of the caller.
    mutating func defined(
        _ definition: Definition, _ arguments: [Syntax], _ body: Syntax, _ syntax: Syntax
    ) -> CheckedPart {
        var parameters: [Name] = []
        if arguments.count != definition.parameters.count {
            fault(
                "\(definition.name) takes \(definition.parameters.count) values, not \(arguments.count): write \(definition.call)",
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

extension Compiler {
    /// Compiles a call of a definition.
    mutating func defined(
        _ definition: Definition, _ arguments: [Syntax], _ body: Syntax
    ) throws(ExpressionFault) -> CompiledPart {
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
