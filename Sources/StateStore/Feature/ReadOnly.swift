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

    /// An index of it.
    public subscript<Group, Order, Key, Row>(
        dynamicMember path: KeyPath<State, RowIndex<Group, Order, Key, Row>>
    ) -> RowIndex<Group, Order, Key, Row> {
        state[keyPath: path]
    }
}
