import JSON

/// A map of CEL values, a JSON object that converts its members on access, or a map that finds its entries on access.
enum CELMap: Sendable {
    case entries(Entries)
    case object(JSON.Object)
    case lazy(LazyMap)

    var count: Int {
        switch self {
        case .entries(let entries): entries.keys.count
        case .object(let object): object.count
        case .lazy(let map): map.count
        }
    }

    /// Returns the key at `place`, in the order of insertion.
    func key(at place: Int) -> CELValue {
        switch self {
        case .entries(let entries): entries.keys[place]
        case .object(let object): .string(object[place].key)
        case .lazy(let map): .string(map.key(at: place))
        }
    }

    /// Returns the value at `place`.
    func value(at place: Int) -> CELValue {
        switch self {
        case .entries(let entries): entries.values[place]
        case .object(let object): CELValue(object[place].value)
        case .lazy(let map): map.value(at: place).map { CELValue($0) } ?? .null
        }
    }

    /// Returns the value of a string key.
    func value(named name: String) -> CELValue? {
        switch self {
        case .entries(let entries): entries.index[.string(ExactText(name))].map { entries.values[$0] }
        case .object(let object): object[name].map { CELValue($0) }
        case .lazy(let map): map.value(named: name).map { CELValue($0) }
        }
    }

    /// Returns an unconverted JSON member.
    func json(named name: String) -> JSON? {
        switch self {
        case .entries: return nil
        case .object(let object): return object[name]
        case .lazy(let map):
            if case .json(let json)? = map.value(named: name) { return json }
            return nil
        }
    }

    /// Returns the value of any key. Number keys match by numeric value across types.
    func value(of key: CELValue) -> CELValue? {
        if case .string(let name) = key { return value(named: name) }
        guard case .entries(let entries) = self, let key = MapKey(looking: key) else { return nil }
        return entries.index[key].map { entries.values[$0] }
    }
}

/// Keys and values in order of insertion, with an index by key.
struct Entries: Sendable {
    private(set) var keys: [CELValue] = []
    private(set) var values: [CELValue] = []
    private(set) var index: [MapKey: Int] = [:]

    /// Adds an entry; fails if the key exists.
    mutating func insert(_ key: CELValue, _ value: CELValue) throws(EvaluationFailure) {
        guard let place = MapKey(key) else {
            throw EvaluationFailure("a map's key is a bool, an int, a uint or a string, not \(key.type.phrase)")
        }
        guard index.updateValue(keys.count, forKey: place) == nil else {
            throw EvaluationFailure("a key is in the map twice")
        }
        keys.append(key)
        values.append(value)
    }
}

/// A map key for lookup: numbers compare by numeric value.
enum MapKey: Hashable, Sendable {
    case bool(Bool)
    case int(Int64)
    /// Only for values above the range of `int`.
    case uint(UInt64)
    case string(ExactText)

    /// Creates the key of an entry; nil if the type cannot be a key.
    init?(_ value: CELValue) {
        switch value {
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .uint(let value): self = Int64(exactly: value).map { .int($0) } ?? .uint(value)
        case .string(let value): self = .string(ExactText(value))
        default: return nil
        }
    }

    /// Creates the key of a lookup. A double or a decimal matches the integer that it equals.
    init?(looking value: CELValue) {
        if case .decimal(let number) = value {
            guard let whole = number.int64 else { return nil }
            self = .int(whole)
            return
        }
        guard case .double(let number) = value else {
            self.init(value)
            return
        }
        if let whole = Int64(exactly: number) {
            self = .int(whole)
        } else if let whole = UInt64(exactly: number) {
            self = .uint(whole)
        } else {
            return nil
        }
    }
}

/// A text with the comparison of CEL, code point by code point. `String` would treat canonically equivalent texts as
/// equal.
struct ExactText: Hashable, Comparable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool {
        let left = left.text.utf8
        let right = right.text.utf8
        return left.count == right.count && left.elementsEqual(right)
    }

    // The order of UTF-8 bytes is the order of code points.
    static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
