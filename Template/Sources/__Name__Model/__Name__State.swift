import Reactive
import StateModel

/// The notes of a space.
struct __Name__State {
    let notes = Table<String, Note>()
}

/// A note.
struct Note: Record {
    var id = ""
    var text = ""
    var at = Timestamp(seconds: 0)
}
