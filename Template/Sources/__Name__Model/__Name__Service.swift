public import StateModel

/// The actions: add a note, and remove one.
public struct __Name__Service: StateService {
    /// Answers the id of the note.
    public let add: AnsweringAction<NewNote, String>
    /// Removes a note.
    public let remove: Action<NoteID>

    /// The actions on a state.
    public init(_ state: __Name__State) {
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
public struct NewNote: Record {
    /// The text.
    public var text = ""

    /// A blank input.
    public init() {}

    /// An input.
    public init(text: String) { self.text = text }

    /// The limits of the text.
    public static let shape = Shape(NewNote()) {
        $0.required(\.text, .line(1...200))
    }
}

/// The id of a note.
public struct NoteID: Record {
    /// The id.
    public var id = ""

    /// A blank input.
    public init() {}

    /// An input.
    public init(id: String) { self.id = id }
}
