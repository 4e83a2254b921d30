/// A JSON value (RFC 8259).
///
/// Two values are equal if they have the same meaning. Numbers compare by value (`1.0` equals `1`). Strings compare by
/// code units (RFC 8259 §8.3), so different Unicode normal forms differ. Objects compare without regard to the order of
/// members (RFC 8259 §4 leaves order to libraries).
public enum JSON: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, exact.
    case number(Decimal)
    /// A string.
    case string(String)
    /// An ordered list of values.
    case array([JSON])
    /// Named members, in order.
    case object(Object)

    /// An alias of `Decimal` that stays unambiguous in a file that also imports Foundation.
    public typealias Number = Decimal

    /// The kind of a value.
    public enum Kind: String, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case boolean
        /// A number.
        case number
        /// A string.
        case string
        /// An array.
        case array
        /// An object.
        case object
    }

    /// The kind of this value.
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

    /// The member with a name; nil if there is none or this value is not an object.
    public subscript(name: String) -> JSON? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// The element at a position; nil if there is none or this value is not an array.
    public subscript(position: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
        return elements[position]
    }

    /// True if arrays and objects nest deeper than `limit`. Recurses at most `limit` levels, so it is safe on any
    /// value.
    package func isDeeper(than limit: Int) -> Bool {
        switch self {
        case .array(let elements): limit < 1 || elements.contains { $0.isDeeper(than: limit - 1) }
        case .object(let object): limit < 1 || object.contains { $0.value.isDeeper(than: limit - 1) }
        default: false
        }
    }
}

extension JSON: Hashable {
    /// True if both values have the same meaning.
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

    /// Hashes the meaning of the value.
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

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null` from `nil`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .number(Decimal(value)) }
    /// Creates a number with a fraction, with up to 15 digits in all.
    public init(floatLiteral value: Double) { self = .number(Decimal(floatLiteral: value)) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Creates an object; if a name occurs twice, the last value wins.
    public init(dictionaryLiteral members: (String, JSON)...) {
        var object = Object()
        for (name, value) in members { object[name] = value }
        self = .object(object)
    }
}
