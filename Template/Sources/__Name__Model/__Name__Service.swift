import StateModel

/// The actions: add a note, and remove one.
struct __Name__Service: StateService {
    /// Answers the id of the note.
    let add: AnsweringAction<NewNote, String>
    let remove: Action<NoteID>

    init(_ state: __Name__State) {
        add = AnsweringAction { input, commit throws(Rejection) in
            let id = commit.newID()
            commit[state.notes, id] = Note(id: id, text: input.text, at: commit.now)
            return id
        }
        remove = Action { input, commit throws(Rejection) in
            guard commit[state.notes, input.id] != nil else {
                throw .conflict("there is no note \(input.id)", at: "id")
            }
            commit[state.notes, input.id] = nil
        }
    }
}

/// The text of a new note.
struct NewNote: Record {
    var text = ""

    static let shape = Shape(NewNote()) {
        $0.required(\.text, .line(1...200))
    }
}

/// The id of a note.
struct NoteID: Record {
    var id = ""
}
