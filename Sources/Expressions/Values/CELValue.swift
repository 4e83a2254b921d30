import JSON

/// A CEL value.
enum CELValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    case list(CELList)
    case map(CELMap)
    case timestamp(CELTimestamp)
    case duration(CELDuration)
    case type(CELType)
    /// In memory of its own, because it has more bytes than the other values.
    indirect case decimal(LongDecimal)

    /// The number of bytes of a text; 0 for other values.
    var textBytes: Int {
        if case .string(let text) = self { text.utf8.count } else { 0 }
    }

    /// True if the value shares heap memory.
    @inline(__always)
    var keepsMemory: Bool {
        switch self {
        case .null, .bool, .int, .uint, .double, .timestamp, .duration, .type: false
        case .string, .bytes, .list, .map, .decimal: true
        }
    }

    /// The type of the value.
    var type: CELType {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .string: .string
        case .bytes: .bytes
        case .list: .list
        case .map: .map
        case .timestamp: .timestamp
        case .duration: .duration
        case .type: .type
        case .decimal: .decimal
        }
    }
}

/// The CEL types, by their names in a formula.
enum CELType: String, CaseIterable, Sendable {
    case null = "null_type"
    case bool, int, uint, double, string, bytes, list, map, type
    /// Not a type of standard CEL.
    case decimal
    case timestamp = "google.protobuf.Timestamp"
    case duration = "google.protobuf.Duration"

    /// The name of the type in messages.
    var plain: String {
        switch self {
        case .null: "null"
        case .timestamp: "timestamp"
        case .duration: "duration"
        default: rawValue
        }
    }
}

extension CELValue {
    /// Converts a JSON value. A number without a fraction becomes an int, any other a double. Elements and members are
    /// converted on access.
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
