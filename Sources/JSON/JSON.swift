/// A JSON value (RFC 8259).
///
/// Two values are equal when they mean the same: numbers by their value (`1.0` is `1`), strings by their code units (RFC 8259 §8.3; the
/// normal forms of Unicode are different strings here), objects whatever the order of their members (RFC 8259 §4 leaves order to
/// libraries).
public enum JSON: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, exactly as it was written.
    case number(Decimal)
    /// A string.
    case string(String)
    /// Values in order.
    case array([JSON])
    /// Members by name, in order.
    case object(Object)

    /// `Decimal` under a name that stays clear in a file which imports Foundation too.
    public typealias Number = Decimal

    /// What a value is, whatever it holds.
    public enum Kind: String, Sendable {
        case null, boolean, number, string, array, object
    }

    /// What this value is.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The member of an object, nil where there is none or this is no object.
    public subscript(name: String) -> JSON? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// The element of an array, nil where there is none or this is no array.
    public subscript(position: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
        return elements[position]
    }

    /// Whether arrays and objects lie within one another more than `limit` deep. Looks no deeper than that, so it is safe on any value.
    public func isDeeper(than limit: Int) -> Bool {
        switch self {
        case .array(let elements): limit < 1 || elements.contains { $0.isDeeper(than: limit - 1) }
        case .object(let object): limit < 1 || object.contains { $0.value.isDeeper(than: limit - 1) }
        default: false
        }
    }
}

extension JSON: Hashable {
    /// Whether both mean the same.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): CodeUnits(left) == CodeUnits(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Adds what the value means to a hash.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(CodeUnits(value))
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`, written `nil`.
    public init(nilLiteral: ()) { self = .null }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .number(Decimal(value)) }
    /// A number with a fraction of up to 15 digits in all.
    public init(floatLiteral value: Double) { self = .number(Decimal(floatLiteral: value)) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// An object; of a name that is there twice the last value stays.
    public init(dictionaryLiteral members: (String, JSON)...) {
        var object = Object()
        for (name, value) in members { object[name] = value }
        self = .object(object)
    }
}

extension JSON: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
