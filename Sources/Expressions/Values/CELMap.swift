import JSON

/// A map: of values that a formula made, or an object of JSON, whose members become values only when somebody looks.
enum CELMap: Sendable {
    case entries(Entries)
    case object(JSON.Object)

    var count: Int {
        switch self {
        case .entries(let entries): entries.keys.count
        case .object(let object): object.count
        }
    }

    /// The key at a place, in the order in which the map was made.
    func key(at place: Int) -> CELValue {
        switch self {
        case .entries(let entries): entries.keys[place]
        case .object(let object): .string(object[place].key)
        }
    }

    /// The value at a place.
    func value(at place: Int) -> CELValue {
        switch self {
        case .entries(let entries): entries.values[place]
        case .object(let object): CELValue(object[place].value)
        }
    }

    /// The value of a name.
    func value(named name: String) -> CELValue? {
        switch self {
        case .entries(let entries): entries.index[.string(ExactText(name))].map { entries.values[$0] }
        case .object(let object): object[name].map { CELValue($0) }
        }
    }

    /// The value of any key; a number finds the key that it equals, whatever its type.
    func value(of key: CELValue) -> CELValue? {
        if case .string(let name) = key { return value(named: name) }
        guard case .entries(let entries) = self, let key = MapKey(looking: key) else { return nil }
        return entries.index[key].map { entries.values[$0] }
    }
}

/// Keys and values in the order they came, found by key, each key once.
struct Entries: Sendable {
    private(set) var keys: [CELValue] = []
    private(set) var values: [CELValue] = []
    private(set) var index: [MapKey: Int] = [:]

    /// Adds an entry unless its key is taken.
    mutating func insert(_ key: CELValue, _ value: CELValue) throws(EvaluationFailure) {
        guard let place = MapKey(key) else {
            throw EvaluationFailure("a map's key is a bool, an int, a uint or a string, not \(key.type.phrase)")
        }
        guard index.updateValue(keys.count, forKey: place) == nil else {
            throw EvaluationFailure("the key \(key.brief) is in the map twice")
        }
        keys.append(key)
        values.append(value)
    }
}

/// A key as maps find it: numbers by what they are worth.
enum MapKey: Hashable, Sendable {
    case bool(Bool)
    case int(Int64)
    /// Only above the range of `int`.
    case uint(UInt64)
    case string(ExactText)

    /// The key that a map may have; nil for a type that is none.
    init?(_ value: CELValue) {
        switch value {
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .uint(let value): self = Int64(exactly: value).map { .int($0) } ?? .uint(value)
        case .string(let value): self = .string(ExactText(value))
        default: return nil
        }
    }

    /// The key to look for: also a double finds the whole number that it equals.
    init?(looking value: CELValue) {
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

/// A text as CEL compares it: code point by code point, where `String` would take different spellings of one character as equal.
struct ExactText: Hashable, Comparable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool {
        let left = left.text.utf8
        let right = right.text.utf8
        return left.count == right.count && left.elementsEqual(right)
    }

    // The order of UTF-8's bytes is that of the code points.
    static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
