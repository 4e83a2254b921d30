import JSON

extension CELType {
    /// The type with its article, for messages.
    var phrase: String {
        switch self {
        case .null: "null"
        case .int: "an int"
        case .bytes: "bytes"
        default: "a \(plain)"
        }
    }
}

extension CELValue {
    /// The value of a literal in a message, shortened.
    var brief: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .uint(let value): "\(value)u"
        case .double(let value): value.text
        case .string(let value): value.brief
        case .decimal(let value): value.description
        default: type.phrase
        }
    }
}

extension String {
    /// The text in quotes, shortened to 40 characters.
    var brief: String {
        let start = unicodeScalars.prefix(40)
        return start.endIndex == endIndex ? "'\(self)'" : "'\(String(start))…'"
    }
}

extension EvaluationFailure {
    /// Returns the failure of a function or an operator that does not accept values of these types.
    static func mismatch(_ name: String, _ values: CELValue...) -> EvaluationFailure {
        mismatch(name, values)
    }

    static func mismatch(_ name: String, _ values: [CELValue]) -> EvaluationFailure {
        let types = values.map { $0.type.plain }
        if types.contains("decimal"), types.contains("double") {
            return EvaluationFailure(
                "\(name) does not mix a decimal with a double, which is not exact; write decimal('0.9') for 0.9")
        }
        let list =
            types.count < 2 ? types.joined() : types.dropLast().joined(separator: ", ") + " and " + (types.last ?? "")
        return EvaluationFailure("\(name) is not defined for \(list.isEmpty ? "no arguments" : list)")
    }
}
