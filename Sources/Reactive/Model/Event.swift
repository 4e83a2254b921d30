/// What an observable delivers: a value, or its end.
public enum Event<Value> {
    /// A value.
    case value(Value)
    /// The end.
    case end(End)
}

extension Event: Sendable where Value: Sendable {}
