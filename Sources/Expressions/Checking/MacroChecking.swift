extension Checker {
    /// Checks a macro: the types of its variables come from its range, which is read as a whole.
    mutating func comprehension(
        _ macro: Macro, _ name: String, _ target: Syntax, _ arguments: [Syntax]
    ) -> CheckedPart {
        let part = check(target)
        use(part, of: target)
        guard let (key, element) = entries(part.type, name, target) else {
            return CheckedPart(.dyn)
        }
        // The values of an object with named members are converted like those of a map.
        if case .object = part.type.withoutNull, let reading = element.reading {
            setReading(.elements(reading), of: target)
        }
        let isMap =
            switch part.type.withoutNull.mapped {
            case .map, .object: true
            default: false
            }
        let count = macro.variables(arguments.count)
        let types = count == 2 ? [key, element] : [isMap ? key : element]
        var variables: [Name] = []
        for (argument, type) in zip(arguments, types) {
            guard case .name(let name, _) = argument.form else { return CheckedPart(.dyn) }
            variables.append(Name(name: name, part: CheckedPart(type)))
        }
        locals += variables
        defer { locals.removeLast(variables.count) }
        return CheckedPart(bodies(macro, name, Array(arguments[count...]), types))
    }

    private mutating func bodies(
        _ macro: Macro, _ name: String, _ bodies: [Syntax], _ types: [ExpressionType]
    ) -> ExpressionType {
        switch macro {
        case .all, .exists, .existsOne:
            for body in bodies { boolean(body, "the condition of \(name)") }
            return .bool
        case .filter:
            for body in bodies { boolean(body, "the condition of \(name)") }
            return .list(types[0])
        case .sortBy:
            for body in bodies {
                let type = value(body)
                if type.withoutNull != .dyn, !type.withoutNull.isOrderable {
                    fault("\(name) cannot order \(type)", body)
                }
            }
            return .list(types[0])
        case .map, .transformList, .transformMap, .transformMapEntry:
            if bodies.count == 2 { boolean(bodies[0], "the condition of \(name)") }
            let body = bodies[bodies.count - 1]
            let type = value(body)
            switch macro {
            case .transformMap: return .map(key: types[0], value: type)
            case .transformMapEntry: return entry(type, name, body)
            default: return .list(type)
            }
        }
    }

    private mutating func entry(_ type: ExpressionType, _ name: String, _ body: Syntax) -> ExpressionType {
        switch type.withoutNull {
        case .dyn: return .dyn
        case .map, .range: return type.withoutNull.mapped
        case .object(let object): return .map(key: .string, value: anyMember(object))
        default:
            fault("\(name) takes an entry such as {key: value}, not \(type)", body)
            return .dyn
        }
    }

    /// Returns the types of the keys and values, or of the indices and elements, that a macro visits.
    private mutating func entries(
        _ type: ExpressionType, _ name: String, _ target: Syntax
    ) -> (key: ExpressionType, value: ExpressionType)? {
        switch type.withoutNull.mapped {
        case .dyn: return (.dyn, .dyn)
        case .list(let element): return (.int, element)
        case .map(let key, let value): return (key, value)
        case .object(let object): return (.string, anyMember(object))
        default:
            fault("\(name) iterates over a list or a map, not over \(type)", target)
            return nil
        }
    }
}
