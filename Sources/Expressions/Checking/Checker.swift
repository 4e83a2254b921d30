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
