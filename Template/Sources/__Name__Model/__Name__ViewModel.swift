import Reactive
import StateModel

/// The views: the notes in the order in which they were added, and their number.
struct __Name__ViewModel: ViewModel {
    let notes: OrderedRows<String, Note>
    let count: Observable<Int>

    init(_ state: __Name__State) {
        notes = state.notes.sorted()
        count = state.notes.fold(0, add: { count, _ in count + 1 }, remove: { count, _ in count - 1 })
            .removeDuplicates()
    }
}
