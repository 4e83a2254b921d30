import Reactive
import StateStore

struct Note: Record {
    var text = ""
    var at = Timestamp(seconds: 0)
}

struct NotesState { let notes = Table<String, Note>() }
struct NewNote: Record { var text = "" }

struct NotesService: StateService {
    let add: AnsweringAction<NewNote, String>

    init(_ notes: NotesState) {
        // snippet
    }
}
