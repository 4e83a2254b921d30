import JSON

extension EvaluationContext {
    /// Encodes the result as JSON. A result that is an unchanged JSON input is returned as it is.
    mutating func json(_ value: CELValue) throws(EvaluationFailure) -> JSON {
        switch value {
        case .int(let value): .number(Decimal(value))
        case .bool(let value): .bool(value)
        case .string(let value): .string(value)
        case .list(.json(let elements)): .array(elements)
        case .map(.object(let object)): .object(object)
        default: try part(value, 0)
        }
    }

    /// Writes the result as JSON text, in which a decimal has all its digits and no exponent.
    mutating func text(_ value: CELValue, depth: Int = 0) throws(EvaluationFailure) -> String {
        switch value {
        case .decimal(let number):
            try result(LongDecimal.digits)
            return number.description
        case .list(.values(let values)):
            try descend(depth)
            var parts: [String] = []
            for value in values { parts.append(try text(value, depth: depth + 1)) }
            return "[" + parts.joined(separator: ",") + "]"
        case .map(.entries(let entries)):
            try descend(depth)
            var names: Set<String> = []
            var parts: [String] = []
            for (key, value) in zip(entries.keys, entries.values) {
                let name = try key.memberName
                try result(name.utf8.count)
                guard names.insert(name).inserted else { throw Self.sameName }
                parts.append("\(JSON.string(name)):" + (try text(value, depth: depth + 1)))
            }
            return "{" + parts.joined(separator: ",") + "}"
        // As in `json`, an unchanged input has no limit.
        default: return try (depth == 0 ? json(value) : part(value, depth)).description
        }
    }

    private static var sameName: EvaluationFailure {
        EvaluationFailure("two keys of the resulting map have the same name")
    }

    /// Encodes a part of the result and counts its size. A part that occurs several times counts each time.
    private mutating func part(_ value: CELValue, _ depth: Int) throws(EvaluationFailure) -> JSON {
        try result(value.textBytes)
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .number(Decimal(value))
        case .uint(let value):
            guard let whole = Int64(exactly: value) else {
                throw EvaluationFailure("the result is too large for a number; the greatest is \(Int64.max)")
            }
            return .number(Decimal(whole))
        case .double(let value):
            guard let number = Decimal(value) else {
                throw EvaluationFailure("the result is a double that JSON cannot represent")
            }
            return .number(number)
        case .decimal(let value):
            guard let number = value.decimal else {
                throw EvaluationFailure(
                    "the result has too many digits for a JSON number; round it, as in round(x, 2)")
            }
            return .number(number)
        case .string(let value): return .string(value)
        case .bytes(let bytes):
            try result(bytes.count * 4 / 3)
            return .string(Base64.encode(bytes))
        case .timestamp(let moment): return .string(moment.description)
        case .duration(let period): return .string(period.description)
        case .type(let type): return .string(type.rawValue)
        case .list(.json(let elements)): return try measured(.array(elements), depth)
        case .map(.object(let object)): return try measured(.object(object), depth)
        case .list(let list):
            try descend(depth)
            var elements: [JSON] = []
            elements.reserveCapacity(list.count)
            for place in 0..<list.count { elements.append(try part(list[place], depth + 1)) }
            return .array(elements)
        case .map(let map):
            try descend(depth)
            var object = JSON.Object()
            for place in 0..<map.count {
                let name = try map.key(at: place).memberName
                try result(name.utf8.count)
                guard object[name] == nil else {
                    throw Self.sameName
                }
                object[name] = try part(map.value(at: place), depth + 1)
            }
            return .object(object)
        }
    }

    /// Counts the size of a part that is an unchanged JSON input, and returns it as it is.
    private mutating func measured(_ json: JSON, _ depth: Int) throws(EvaluationFailure) -> JSON {
        try count(json, depth)
        return json
    }

    private mutating func count(_ json: JSON, _ depth: Int) throws(EvaluationFailure) {
        switch json {
        case .string(let text): try result(text.utf8.count)
        case .array(let elements):
            try descend(depth)
            for element in elements {
                try result(0)
                try count(element, depth + 1)
            }
        case .object(let object):
            try descend(depth)
            for member in object {
                try result(member.key.utf8.count)
                try count(member.value, depth + 1)
            }
        default: break
        }
    }

    /// Fails if `depth` exceeds the nesting limit.
    func descend(_ depth: Int) throws(EvaluationFailure) {
        guard depth < ExpressionLimits.resultNesting else {
            throw EvaluationFailure("lists and maps are nested more than \(ExpressionLimits.resultNesting) deep")
        }
    }
}

extension CELValue {
    /// The map key as the name of a JSON member.
    fileprivate var memberName: String {
        get throws(EvaluationFailure) {
            switch self {
            case .string(let value): value
            case .bool(let value): "\(value)"
            case .int(let value): "\(value)"
            case .uint(let value): "\(value)"
            default: throw EvaluationFailure("\(type.phrase) cannot be a member name")
            }
        }
    }
}
