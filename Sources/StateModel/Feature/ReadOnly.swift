public import Reactive

/// The state of another feature, for reading and deriving only.
@dynamicMemberLookup
public struct ReadOnly<State> {
    private let state: State

    init(_ state: State) {
        self.state = state
    }

    /// A variable of it.
    public subscript<Value>(dynamicMember path: KeyPath<State, Variable<Value>>) -> ReadableVariable<Value> {
        state[keyPath: path]
    }

    /// A table of it.
    public subscript<Key, Row>(dynamicMember path: KeyPath<State, Table<Key, Row>>) -> ReadableTable<Key, Row> {
        state[keyPath: path]
    }
}
