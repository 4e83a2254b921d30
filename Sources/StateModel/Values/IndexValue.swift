internal import JSON

/// A value that groups or orders the rows of an index: a text, a whole number, an amount, a truth, a time, a choice, their
/// optionals, and lists of them. A type of several parts has the values of its parts, one after another.
public protocol IndexValue {
    /// Appends the value to a place in an index.
    func append(to place: inout IndexedPlace)
}

/// The place of a row in an index, as it is written.
public struct IndexedPlace {
    private(set) var bytes = PlaceBytes()

    mutating func append(_ value: JSON, isFalling: Bool = false) { bytes.append(value, isFalling: isFalling) }

    /// Appends the bytes of a value in the order from great to small.
    mutating func append(falling value: some IndexValue) {
        var own = IndexedPlace()
        value.append(to: &own)
        bytes.append(falling: own.bytes)
    }
}

extension String: IndexValue {
    /// Appends the text, in the order of its UTF-8.
    public func append(to place: inout IndexedPlace) { place.append(.string(self)) }
}

extension Int: IndexValue {
    /// Appends the number.
    public func append(to place: inout IndexedPlace) { place.append(.number(Decimal(self))) }
}

extension Bool: IndexValue {
    /// Appends the truth: false precedes true.
    public func append(to place: inout IndexedPlace) { place.append(.bool(self)) }
}

extension Timestamp: IndexValue {
    /// Appends the time.
    public func append(to place: inout IndexedPlace) { place.append(.number(Decimal(microseconds))) }
}

extension Money: IndexValue {
    /// Appends the amount.
    public func append(to place: inout IndexedPlace) { place.append(.number(decimal)) }
}

extension Optional: IndexValue where Wrapped: IndexValue {
    /// Appends the value; nil precedes all others.
    public func append(to place: inout IndexedPlace) {
        if let self { self.append(to: &place) } else { place.append(.null) }
    }
}

extension Array: IndexValue where Element: IndexValue {
    /// Appends the elements.
    public func append(to place: inout IndexedPlace) { for element in self { element.append(to: &place) } }
}
