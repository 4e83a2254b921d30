extension Checker {
    mutating func call(_ name: String, _ arguments: [Syntax], _ syntax: Syntax) -> CheckedPart {
        if name == "has", arguments.count == 1, case .member(let operand, let member) = arguments[0].form {
            return has(operand, member, arguments[0])
        }
        if name == "size", arguments.count == 1 { return size(arguments[0], "size", isMethod: false, syntax) }
        if arguments.isEmpty, let generator = names.last(where: { $0.name == name + "()" }) {
            return CheckedPart(value(of: generator))
        }
        return function(name, isMethod: false, arguments, syntax)
    }

    mutating func method(_ target: Syntax, _ name: String, _ arguments: [Syntax], _ syntax: Syntax) -> CheckedPart {
        if let index = index(target, name) { return group(of: index, arguments, syntax) }
        if missesIndex(target, name, syntax) {
            for argument in arguments { _ = value(argument) }
            return CheckedPart(.dyn)
        }
        if case .name(let space, _) = target.form, !isVariable(space) {
            if space == "cel", name == "bind" { return bind(arguments) }
            let full = "\(space).\(name)"
            if FunctionSignature.named[full] != nil { return function(full, isMethod: false, arguments, syntax) }
            if FunctionSignature.named.keys.contains(where: { $0.hasPrefix(space + ".") }) {
                return function(full, isMethod: false, arguments, syntax)
            }
        }
        if let macro = Macro(name, arguments.count, isStrict: false) {
            return comprehension(macro, name, target, arguments)
        }
        if name == "size", arguments.isEmpty { return size(target, "size", isMethod: true, syntax) }
        if let method = RangeMethod(name, arguments.count), hasIndexes {
            return range(method, target, arguments, syntax)
        }
        return function(name, isMethod: true, [target] + arguments, syntax)
    }

    /// Records the use of a generator, and returns the type of its values.
    private mutating func value(of generator: Name) -> ExpressionType {
        if let place = generator.part.place { record(place, .value) }
        return generator.part.type
    }

    /// True if formulas may read indexes.
    private var hasIndexes: Bool { names.contains { if case .index = $0.part.type { true } else { false } } }

    func isVariable(_ name: String) -> Bool {
        locals.contains { $0.name == name } || names.contains { $0.name == name }
    }

    private mutating func has(_ operand: Syntax, _ name: String, _ syntax: Syntax) -> CheckedPart {
        let object = check(operand)
        var part = CheckedPart(.dyn, object.place?.appending(.member(name)))
        // Of a union, `has` asks which branch an object has.
        let isOfBranch =
            if case .object(let type) = object.type.withoutNull, type.union != nil { type.member(name) != nil } else {
                false
            }
        if !isOfBranch { part = member(name, of: object, operand, syntax) }
        if let place = part.place { record(place, .presence) }
        return CheckedPart(.bool)
    }

    /// Checks `size(x)`, which depends on the number of entries only.
    private mutating func size(_ operand: Syntax, _ name: String, isMethod: Bool, _ syntax: Syntax) -> CheckedPart {
        let part = check(operand)
        if let place = part.place { record(place, .size) }
        if case .index = part.type { return CheckedPart(.int) }
        return CheckedPart(result(name, isMethod: isMethod, [part.type.mapped], syntax))
    }

    /// Checks `cel.bind(name, value, body)`. A bound part of a variable is read where the body reads it.
    private mutating func bind(_ arguments: [Syntax]) -> CheckedPart {
        guard arguments.count == 3, case .name(let name, _) = arguments[0].form else {
            for argument in arguments { _ = value(argument) }
            return CheckedPart(.dyn)
        }
        let part = check(arguments[1])
        // The conversion of a number needs the JSON that is read here.
        if part.type.reading != nil { use(part, of: arguments[1]) }
        locals.append(Name(name: name, part: part))
        defer { locals.removeLast() }
        return CheckedPart(value(arguments[2]))
    }

    private mutating func function(
        _ name: String, isMethod: Bool, _ arguments: [Syntax], _ syntax: Syntax
    ) -> CheckedPart {
        var types: [ExpressionType] = []
        for argument in arguments { types.append(value(argument).mapped) }
        return CheckedPart(result(name, isMethod: isMethod, types, syntax))
    }

    /// Returns the type of a call's result.
    @inline(never)
    private mutating func result(
        _ name: String, isMethod: Bool, _ types: [ExpressionType], _ syntax: Syntax
    ) -> ExpressionType {
        let signatures = (FunctionSignature.named[name] ?? []).filter { $0.isMethod == isMethod }
        let fitting = signatures.filter { $0.takes(types.count) }
        guard !fitting.isEmpty else {
            guard listsFaults else { return .dyn }
            let advice = Functions.advice(name, isMethod: isMethod, count: types.count, isStrict: false)
            let names =
                signatures.isEmpty
                ? FunctionSignature.all.filter { $0.isMethod == isMethod }.map(\.name)
                    + (isMethod ? [] : definitions.keys.sorted())
                : []
            let hint = signatures.isEmpty && Macro.examples[name] == nil ? Suggestion.text(name, names) : ""
            fault(advice + hint, at: syntax.offset, in: syntax.range, allowed: signatures.map(\.text))
            return .dyn
        }
        guard work(types) else { return .dyn }
        var results: [ExpressionType] = []
        for signature in fitting {
            var match = SignatureMatch()
            guard match.fits(signature, types) else { continue }
            let type = match.result(signature.result)
            if !match.isOpen { return results.isEmpty ? type : results.reduce(type) { $0.joined(with: $1) } }
            results.append(type)
        }
        guard let first = results.first else {
            let given = types.map(\.description)
            let list =
                given.count < 2
                ? given.joined() : given.dropLast().joined(separator: ", ") + " and " + given[given.count - 1]
            let mixes = Set(types.map(\.withoutNull)).isSuperset(of: [.decimal, .double])
            let isInexact = types.contains(.double) && ["decimal", "round"].contains(name)
            fault(
                "\(name) is not defined for \(list)" + (mixes || isInexact ? "; write decimal('0.9') for 0.9" : ""),
                at: syntax.offset, in: syntax.range, allowed: fitting.map(\.text))
            return .dyn
        }
        return results.dropFirst().reduce(first) { $0.joined(with: $1) }
    }
}

/// The comparison of a call with a signature: the types that its variables stand for.
struct SignatureMatch {
    private var variables: [Character: ExpressionType] = [:]
    /// True if an argument fits only because its type is open.
    private(set) var isOpen = false

    /// Returns true if values of these types fit the parameters.
    mutating func fits(_ signature: FunctionSignature, _ types: [ExpressionType]) -> Bool {
        for (place, type) in types.enumerated() {
            guard signature.parameter(place).contains(where: { fits($0, type.withoutNull) }) else { return false }
        }
        return true
    }

    private mutating func fits(_ parameter: SignatureType, _ type: ExpressionType) -> Bool {
        switch (parameter, type) {
        case (.variable(let name), _): return bind(name, type)
        case (.plain(.dyn), _): return true
        case (_, .dyn):
            isOpen = true
            return true
        case (.plain(let wanted), _): return wanted == type
        case (.list(let wanted), .list(let element)): return fits(wanted, element.withoutNull)
        case (.map(let key, let value), .map(let givenKey, let given)):
            let fitsKey = fits(key, givenKey.withoutNull)
            return fits(value, given.withoutNull) && fitsKey
        case (.map(let key, let value), .object(let object)):
            let fitsKey = fits(key, .string)
            return fits(value, object.anyMember.withoutNull) && fitsKey
        default: return false
        }
    }

    private mutating func bind(_ name: Character, _ type: ExpressionType) -> Bool {
        switch name {
        case "N" where type != .dyn && !type.isNumber, "C" where type != .dyn && !type.isOrderable: return false
        default: break
        }
        guard let old = variables[name] else {
            variables[name] = type
            return true
        }
        if name == "N", Set([old, type]) == [.decimal, .double] { return false }
        variables[name] = old.joined(with: type)
        return true
    }

    /// Returns the type that a signature's result stands for.
    func result(_ type: SignatureType) -> ExpressionType {
        switch type {
        case .plain(let type): type
        case .variable(let name): variables[name] ?? .dyn
        case .list(let element): .list(result(element))
        case .map(let key, let value): .map(key: result(key), value: result(value))
        }
    }
}
