import JSON

/// The conversion of a JSON value that a formula reads to its declared type: JSON does not tell a double or a decimal
/// without a fraction from an int, and a time is text.
indirect enum Reading: Hashable, Sendable {
    case double, decimal
    /// A date-time text.
    case timestamp
    /// The elements of a list, or the values of a map.
    case elements(Reading)

    /// The estimated steps.
    var cost: Int {
        if case .elements = self { ExpressionLimits.assumedLength } else { 0 }
    }

    /// Converts a number of an input; a list or a map is converted where the formula reads it.
    func scalar(_ json: JSON) -> CELValue {
        switch (self, json) {
        case (.double, .number(let number)): .double(number.double)
        case (.decimal, .number(let number)): .decimal(LongDecimal(short: number))
        case (.timestamp, .string(let text)): CELTimestamp(text).map { .timestamp($0) } ?? .string(text)
        default: CELValue(json)
        }
    }

    /// Converts a number directly from JSON, which is exact.
    func value(_ json: JSON, _ context: inout EvaluationContext) throws(EvaluationFailure) -> CELValue {
        switch (self, json) {
        case (.elements, _): return try value(CELValue(json), &context)
        default: return scalar(json)
        }
    }

    /// Converts a value; one of another type stays as it is.
    func value(_ value: CELValue, _ context: inout EvaluationContext) throws(EvaluationFailure) -> CELValue {
        switch (self, value) {
        case (.double, .int(let number)): return .double(Double(number))
        case (.decimal, .int(let number)): return .decimal(LongDecimal(number))
        case (.decimal, .double(let number)):
            return Decimal(number).map { .decimal(LongDecimal(short: $0)) } ?? value
        case (.timestamp, .string(let text)): return CELTimestamp(text).map { .timestamp($0) } ?? value
        case (.elements(let reading), .list(.json(let elements))):
            try context.make(elements: elements.count)
            var values: [CELValue] = []
            values.reserveCapacity(elements.count)
            for element in elements { values.append(try reading.value(element, &context)) }
            return .list(.values(values))
        case (.elements(let reading), .map(.object(let object))):
            var entries = Entries()
            for member in object {
                try context.insert(.string(member.key), try reading.value(member.value, &context), into: &entries)
            }
            return .map(.entries(entries))
        case (.elements(let reading), .map(.lazy(let map))):
            var entries = Entries()
            for place in 0..<map.count {
                let name = map.key(at: place)
                let value =
                    switch map.value(named: name) {
                    case .json(let json)?: try reading.value(json, &context)
                    case .map(let inner)?: try reading.value(.map(.lazy(inner)), &context)
                    case nil: CELValue.null
                    }
                try context.insert(.string(name), value, into: &entries)
            }
            return .map(.entries(entries))
        default: return value
        }
    }
}

extension ExpressionType {
    /// The conversion that values of the type need when they are read from JSON, or nil.
    var reading: Reading? {
        switch self {
        case .double: .double
        case .decimal: .decimal
        case .timestamp: .timestamp
        case .nullable(let type): type.reading
        case .list(let element): element.reading.map { .elements($0) }
        case .map(_, let value): value.reading.map { .elements($0) }
        case .range(let type): type.map.reading
        default: nil
        }
    }
}
