public import Reactive
public import StateModel

/// The views: the notes in the order in which they were added, and their number.
public struct __Name__ViewModel: ViewModel {
    /// The notes.
    public let notes: OrderedRows<String, Note>
    /// Their number.
    public let count: Observable<Int>

    /// The views of a state.
    public init(_ state: __Name__State) {
        notes = state.notes.sorted()
        count = state.notes.rowCount()
    }
}
