import JSON

extension CELValue {
    /// Decodes a value with its type, as the cases of the conformance suite write it: `{"int": "1"}`. Nil if the
    /// document is not one.
    init?(typed document: JSON) {
        guard case .object(let object) = document, object.count == 1 else { return nil }
        switch (object[0].key, object[0].value) {
        case ("null", .null): self = .null
        case ("bool", .bool(let value)): self = .bool(value)
        case ("string", .string(let text)): self = .string(text)
        case ("int", .string(let text)):
            guard let value = Int64(text) else { return nil }
            self = .int(value)
        case ("uint", .string(let text)):
            guard let value = UInt64(text) else { return nil }
            self = .uint(value)
        case ("double", .string(let text)):
            guard let value = Double(text) else { return nil }
            self = .double(value)
        case ("bytes", .string(let text)):
            guard let bytes = Base64.decode(text) else { return nil }
            self = .bytes(bytes)
        case ("timestamp", .string(let text)):
            guard let moment = CELTimestamp(text) else { return nil }
            self = .timestamp(moment)
        case ("duration", .string(let text)):
            guard let period = CELDuration(text) else { return nil }
            self = .duration(period)
        case ("type", .string(let text)):
            guard let type = CELType(rawValue: text) else { return nil }
            self = .type(type)
        case ("list", .array(let elements)):
            var values: [CELValue] = []
            for element in elements {
                guard let value = CELValue(typed: element) else { return nil }
                values.append(value)
            }
            self = .list(.values(values))
        case ("map", .array(let pairs)):
            var entries = Entries()
            for pair in pairs {
                guard case .array(let pair) = pair, pair.count == 2, let key = CELValue(typed: pair[0]),
                    let value = CELValue(typed: pair[1])
                else {
                    return nil
                }
                do { try entries.insert(key, value) } catch { return nil }
            }
            self = .map(.entries(entries))
        default: return nil
        }
    }

    /// The value encoded with its type.
    var typed: JSON {
        switch self {
        case .null: ["null": nil]
        case .bool(let value): ["bool": .bool(value)]
        case .int(let value): ["int": .string("\(value)")]
        case .uint(let value): ["uint": .string("\(value)")]
        case .double(let value): ["double": .string(value.text)]
        case .decimal(let value): ["decimal": .string(value.description)]
        case .string(let text): ["string": .string(text)]
        case .bytes(let bytes): ["bytes": .string(Base64.encode(bytes))]
        case .timestamp(let moment): ["timestamp": .string(moment.description)]
        case .duration(let period): ["duration": .string(period.description)]
        case .type(let type): ["type": .string(type.rawValue)]
        case .list(let list): ["list": .array(list.values.map(\.typed))]
        case .map(let map): ["map": .array((0..<map.count).map { [map.key(at: $0).typed, map.value(at: $0).typed] })]
        }
    }

    /// True if a case accepts this value for the expected one: types count, the order of map entries does not, and NaN
    /// equals NaN.
    func isSame(as other: CELValue) -> Bool {
        switch (self, other) {
        case (.double(let left), .double(let right)):
            return left == right && left.sign == right.sign || left.isNaN && right.isNaN
        case (.list(let left), .list(let right)):
            return left.count == right.count && (0..<left.count).allSatisfy { left[$0].isSame(as: right[$0]) }
        case (.map(let left), .map(let right)):
            return left.count == right.count
                && (0..<left.count).allSatisfy { place in
                    let key = left.key(at: place)
                    return (0..<right.count).contains {
                        right.key(at: $0).isSame(as: key) && right.value(at: $0).isSame(as: left.value(at: place))
                    }
                }
        case (.string(let left), .string(let right)): return ExactText(left) == ExactText(right)
        case (.bytes(let left), .bytes(let right)): return left == right
        case (.timestamp(let left), .timestamp(let right)): return left == right
        case (.duration(let left), .duration(let right)): return left == right
        case (.type(let left), .type(let right)): return left == right
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.int(let left), .int(let right)): return left == right
        case (.uint(let left), .uint(let right)): return left == right
        default: return false
        }
    }
}
