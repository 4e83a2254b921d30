import JSON

/// The type checker. It computes the type of each part, collects the faults, and records the parts of the declared
/// variables that the formula reads.
struct Checker {
    /// A declared variable, or a variable of a macro.
    struct Name {
        let name: String
        let part: CheckedPart
    }

    /// The formula, or the definition whose call is being checked.
    var source: [Unicode.Scalar]
    let names: [Name]
    /// The variables of the enclosing macros.
    var locals: [Name] = []
    /// The conditions that hold where the present part is checked.
    var narrowings: [Narrowing] = []
    private(set) var faults: [ExpressionFault] = []
    /// The conversions of values that are read from JSON, by the part that reads them.
    private(set) var readings: [Int: Reading] = [:]
    private var reads: [ExpressionRead] = []
    private var knownReads: Set<ExpressionRead> = []

    /// The definitions that the formula may call.
    var definitions: [String: Definition] = [:]
    /// The parts of types that may still be joined or compared.
    private var workLeft = 200_000

    /// The greatest number of faults that are listed.
    static let greatestFaults = 32

    init(_ source: String, _ types: [(name: String, type: ExpressionType)]) {
        self.source = Array(source.unicodeScalars)
        names = types.map { Name(name: $0.name, part: CheckedPart($0.type, ReadPlace(name: $0.name))) }
    }

    /// The parts that the formula reads, in the order of the source.
    var allReads: [ExpressionRead] { reads }

    /// Checks a part whose whole value is used.
    mutating func value(_ syntax: Syntax) -> ExpressionType {
        let part = check(syntax)
        use(part, of: syntax)
        return part.type
    }

    /// Records that the whole value of a part is used.
    mutating func use(_ part: CheckedPart, of syntax: Syntax) {
        if let place = part.place { record(place, .value) }
        if case .index(let type) = part.type { fault("read a group of the index, as \(type.call)", syntax) }
        switch syntax.form {
        case .name, .member, .index: readings[syntax.id] = part.type.reading
        default: break
        }
    }

    // Each form has a function of its own, for small stack frames.

    /// Checks a part. The caller records the use of its value.
    mutating func check(_ syntax: Syntax) -> CheckedPart {
        switch syntax.form {
        case .literal(let value): CheckedPart(.init(of: value))
        case .name, .member: path(syntax)
        case .index(let operand, let index): self.index(operand, index, syntax)
        case .call(let name, let arguments, _): call(name, arguments, syntax)
        case .method(let target, let name, let arguments): method(target, name, arguments, syntax)
        case .list(let elements): list(elements)
        case .map(let entries): map(entries)
        case .not(let operand): not(operand)
        case .negative(let operand): negative(operand, syntax)
        case .binary(let sign, let left, let right): binary(sign, left, right, syntax)
        case .and(let parts): conditions(parts, isAnd: true)
        case .or(let parts): conditions(parts, isAnd: false)
        case .conditional(let condition, let first, let second): conditional(condition, first, second)
        case .defined(let name, let arguments, let body): defined(name, arguments, body, syntax)
        }
    }

    private mutating func list(_ elements: [Syntax]) -> CheckedPart {
        var type: ExpressionType?
        for element in elements {
            let next = value(element)
            type = type.map { join($0, next) } ?? next
        }
        return CheckedPart(.list(type ?? .dyn))
    }

    private mutating func map(_ entries: [(key: Syntax, value: Syntax)]) -> CheckedPart {
        var members: [ObjectType.TypedMember]? = []
        var key: ExpressionType?
        var types: ExpressionType?
        for entry in entries {
            let keyType = value(entry.key)
            let type = value(entry.value)
            if case .literal(.string(let name)) = entry.key.form {
                members?.append(ObjectType.TypedMember(name, type))
            } else {
                members = nil
            }
            switch keyType.withoutNull {
            case .dyn, .bool, .int, .uint, .string: break
            default: fault("a map's key is a bool, an int, a uint or a string, not \(keyType)", entry.key)
            }
            key = key.map { join($0, keyType) } ?? keyType
            types = types.map { join($0, type) } ?? type
        }
        if let members { return CheckedPart(.object(ObjectType(members))) }
        return CheckedPart(.map(key: key ?? .dyn, value: types ?? .dyn))
    }

    private mutating func conditional(_ condition: Syntax, _ first: Syntax, _ second: Syntax) -> CheckedPart {
        boolean(condition, "?")
        let type = assuming([(condition, true)]) { $0.value(first) }
        let other = assuming([(condition, false)]) { $0.value(second) }
        return CheckedPart(join(type, other))
    }

    /// Checks conditions, each where those before it are true or, of an `||`, false.
    private mutating func conditions(_ parts: [Syntax], isAnd: Bool) -> CheckedPart {
        let count = narrowings.count
        for part in parts {
            boolean(part, "a condition")
            assume(part, isAnd)
        }
        narrowings.removeLast(narrowings.count - count)
        return CheckedPart(.bool)
    }

    private mutating func not(_ operand: Syntax) -> CheckedPart {
        boolean(operand, "!")
        return CheckedPart(.bool)
    }

    /// Checks a condition.
    mutating func boolean(_ syntax: Syntax, _ name: String) {
        let type = value(syntax)
        switch type.withoutNull {
        case .bool, .dyn: break
        default: fault("\(name) takes a bool, not \(type)", syntax)
        }
    }

    /// Counts the parts of types. Returns false if there were too many in this formula; then the types that depend on
    /// them become `dyn`, so that a hostile formula cannot occupy a thread.
    mutating func work(_ types: ExpressionType...) -> Bool { work(types) }

    mutating func work(_ types: [ExpressionType]) -> Bool {
        for type in types { workLeft -= type.weight }
        return workLeft > 0
    }

    /// Returns the type of a value that has one type or the other.
    mutating func join(_ one: ExpressionType, _ other: ExpressionType) -> ExpressionType {
        work(one, other) ? one.joined(with: other).bounded : .dyn
    }

    /// Returns the type of a member of unknown name.
    mutating func anyMember(_ object: ObjectType) -> ExpressionType {
        work(.object(object)) ? object.anyMember.bounded : .dyn
    }

    /// True if one more fault would be listed. A suggestion compares many names, so it is not made without need.
    var listsFaults: Bool { faults.count < Self.greatestFaults }

    /// Adds a fault.
    @inline(never)
    mutating func fault(_ description: String, _ syntax: Syntax, allowed: [String] = []) {
        fault(description, at: syntax.offset, in: syntax.range, allowed: allowed)
    }

    mutating func fault(_ description: String, at offset: Int, in range: Range<Int>, allowed: [String] = []) {
        guard listsFaults else { return }
        faults.append(ExpressionFault(description, at: offset, in: range, allowed: allowed))
    }

    /// Moves the faults from an index on to a part, with words before them.
    mutating func moveFaults(from index: Int, to syntax: Syntax, _ words: String) {
        for place in index..<faults.count {
            let fault = faults[place]
            faults[place] = ExpressionFault(
                words + fault.description, at: syntax.offset, in: syntax.range, allowed: fault.allowed)
        }
    }

    mutating func record(_ place: ReadPlace, _ extent: ExpressionRead.Extent) {
        let read = ExpressionRead(name: place.name, steps: place.steps, extent: extent)
        if knownReads.insert(read).inserted { reads.append(read) }
    }

    mutating func setReading(_ reading: Reading?, of syntax: Syntax) { readings[syntax.id] = reading }
}

extension ExpressionType {
    /// The type of a literal.
    fileprivate init(of value: CELValue) {
        self =
            switch value {
            case .null: .null
            case .bool: .bool
            case .int: .int
            case .uint: .uint
            case .double: .double
            case .decimal: .decimal
            case .string: .string
            case .bytes: .bytes
            case .timestamp: .timestamp
            case .duration: .duration
            case .type: .type
            case .list, .map: .dyn
            }
    }
}

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

extension Checker {
    /// The declared index of a name, as `index.byOwner`; nil if there is none, or if a variable hides the name `index`.
    func index(_ target: Syntax, _ name: String) -> (name: Name, type: IndexType)? {
        guard case .name(let root, false) = target.form, !isVariable(root),
            let found = names.last(where: { $0.name == "\(root).\(name)" }), case .index(let type) = found.part.type
        else { return nil }
        return (found, type)
    }

    /// Notes an index of a name that no table declares. Returns false if the target is no name of indexes.
    mutating func missesIndex(_ target: Syntax, _ name: String, _ syntax: Syntax) -> Bool {
        guard case .name(let root, false) = target.form, !isVariable(root) else { return false }
        let known = names.filter { if case .index = $0.part.type { $0.name.hasPrefix("\(root).") } else { false } }
            .map { String($0.name.dropFirst(root.count + 1)) }
        guard !known.isEmpty else { return false }
        guard listsFaults else { return true }
        fault("there is no index \(name.brief)" + Suggestion.text(name, known), syntax, allowed: known)
        return true
    }

    /// Checks `index.byOwner(value)`.
    mutating func group(
        of index: (name: Name, type: IndexType), _ arguments: [Syntax], _ syntax: Syntax
    ) -> CheckedPart {
        var types: [ExpressionType] = []
        for argument in arguments { types.append(value(argument)) }
        let type = index.type
        let fits =
            types.count == type.group.count && zip(type.group, types).allSatisfy { areComparable($0, $1) }
        if !fits {
            let given = types.isEmpty ? "nothing" : types.map(\.description).joined(separator: ", ")
            fault("\(type.call) does not take \(given)", syntax, allowed: [type.call])
        }
        let place = index.name.part.place
        if let place { record(place, .size) }
        return CheckedPart(.range(type), place)
    }

    /// Checks a method of the rows of an index; nil if the target has other values.
    mutating func range(
        _ method: RangeMethod, _ target: Syntax, _ arguments: [Syntax], _ syntax: Syntax
    ) -> CheckedPart {
        let part = check(target)
        let given = arguments.map { value($0) }
        guard case .range(let type) = part.type else {
            use(part, of: target)
            if part.type != .dyn || listsFaults {
                fault(
                    "\(method.rawValue) is a method of the rows of an index, as in index.NAME(…).\(method.example), not of \(part.type)",
                    syntax)
            }
            return CheckedPart(.dyn)
        }
        let row = CheckedPart(type.row.orNull, part.place?.appending(.entry(.any)))
        switch method {
        case .first, .last: return row
        case .only:
            if !type.isUnique { fault("\(type.name) is not unique, so only is not defined: write first()", syntax) }
            return row
        case .firstKey, .lastKey: return CheckedPart(ExpressionType.string.orNull)
        case .limit:
            switch given[0].withoutNull {
            case .int, .uint, .dyn: break
            default: fault("limit takes an int, not \(given[0])", arguments[0])
            }
        case .from, .until:
            if let bound = type.bound {
                if !areComparable(bound, given[0]) {
                    fault("\(method.rawValue) of \(type.name) takes \(bound), not \(given[0])", arguments[0])
                }
            } else {
                fault("\(type.name) has no sort, so \(method.rawValue) is not defined", syntax)
            }
        }
        return part
    }
}

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
