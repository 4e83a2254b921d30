/// One event of an observable: a value or the end.
public enum Event<Value> {
    /// A value.
    case value(Value)
    /// The end.
    case end(End)
}

extension Event: Sendable where Value: Sendable {}
