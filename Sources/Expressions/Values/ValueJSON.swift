import JSON

extension Value {
    /// What a value of JSON is in CEL: a number without a fraction is an int, any other a double. What lies within waits until somebody
    /// looks at it.
    @inline(__always)
    init(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number): self = number.int64.map { .int($0) } ?? .double(number.double)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .list(.json(elements))
        case .object(let object): self = .map(.object(object))
        }
    }
}

extension Run {
    /// A result as JSON.
    mutating func json(_ value: Value, depth: Int = 0) throws(EvaluationFailure) -> JSON {
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .number(Decimal(value))
        case .uint(let value):
            guard let whole = Int64(exactly: value) else {
                throw EvaluationFailure("the result \(value)u is more than a number can be here; the greatest is \(Int64.max)")
            }
            return .number(Decimal(whole))
        case .double(let value):
            guard let number = Decimal(value) else {
                throw EvaluationFailure("the result is \(value.text), which JSON has no number for")
            }
            return .number(number)
        case .string(let value): return .string(value)
        case .bytes(let bytes):
            try make(bytes.count * 4 / 3)
            return .string(Base64.encode(bytes))
        case .timestamp(let moment): return .string(moment.description)
        case .duration(let period): return .string(period.description)
        case .type(let type): return .string(type.rawValue)
        case .list(.json(let elements)): return try whole(.array(elements), depth)
        case .map(.object(let object)): return try whole(.object(object), depth)
        case .list(let list):
            try descend(depth)
            var elements: [JSON] = []
            elements.reserveCapacity(list.count)
            for place in 0..<list.count {
                try step()
                elements.append(try json(list[place], depth: depth + 1))
            }
            return .array(elements)
        case .map(let map):
            try descend(depth)
            var object = JSON.Object()
            for place in 0..<map.count {
                try step()
                let name = try map.key(at: place).memberName
                guard object[name] == nil else {
                    throw EvaluationFailure("two keys of the resulting map would both be the name \(name.brief)")
                }
                object[name] = try json(map.value(at: place), depth: depth + 1)
            }
            return .object(object)
        }
    }

    /// What came as JSON goes as it is, unless it would now lie too deep.
    private func whole(_ json: JSON, _ depth: Int) throws(EvaluationFailure) -> JSON {
        if depth > 0, json.isDeeper(than: ExpressionLimits.resultNesting - depth) { throw tooDeep }
        return json
    }

    private func descend(_ depth: Int) throws(EvaluationFailure) {
        guard depth < ExpressionLimits.resultNesting else { throw tooDeep }
    }

    private var tooDeep: EvaluationFailure {
        EvaluationFailure("lists and maps in the result lie more than \(ExpressionLimits.resultNesting) deep")
    }
}

extension Value {
    /// A map's key as the name of a member.
    fileprivate var memberName: String {
        get throws(EvaluationFailure) {
            switch self {
            case .string(let value): value
            case .bool(let value): "\(value)"
            case .int(let value): "\(value)"
            case .uint(let value): "\(value)"
            default: throw EvaluationFailure("\(type.phrase) is no name of a member")
            }
        }
    }
}
