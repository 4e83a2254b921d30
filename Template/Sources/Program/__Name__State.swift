import Reactive
import StateStore

/// The notes of a space.
struct __Name__State {
    let notes = Table<String, Note>()
}

/// A note.
struct Note: Record {
    var id = ""
    var text = ""
    var at = Timestamp(seconds: 0)

    static let shape = Shape(Note()) {
        $0.required("id", \.id)
        $0.required("text", \.text)
        $0.required("at", \.at)
    }
}
