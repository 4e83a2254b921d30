import StateModel

/// Notes of which each caller holds its own, for tests of the client.
let notebook = FeatureModel("notebook", NotebookState.init, NotebookService.init, NotebookViewModel.init)

struct NotebookState {
    let notes = Table<String, Note>()
    let byOwner: RowIndex<String, OrderOfKeys, String, Note>
    let work = Table<String, Bool>()

    init() { byOwner = RowIndex(of: notes, by: \.owner) }
}

extension NotebookState: ReplicatedState {
    static let replica = ReplicaParts<NotebookState>(reading: ["sub"]) {
        $0.rows(of: \.notes, in: \.byOwner) { viewer in [viewer.subject ?? ""] }
        $0.onServer(\.work)
    }
}

struct Note: Record {
    var owner = ""
    var text = ""
}

struct NoteText: Record {
    var text = ""
}

struct NoteChange: Record {
    var id = ""
    var text = ""
}

struct NotebookService: StateService {
    let write: AnsweringAction<NoteText, String>
    let change: Action<NoteChange>
    /// Gives a note to another owner, whose name is the text.
    let give: Action<NoteChange>

    init(_ notebook: NotebookState) {
        write = AnsweringAction { input, commit throws(Rejection) in
            let id = commit.newID()
            commit[notebook.notes, id] = Note(owner: commit.caller.subject ?? "", text: input.text)
            commit[notebook.work, id] = true
            return id
        }
        change = Action { input, commit throws(Rejection) in
            guard var note = commit[notebook.notes, input.id] else {
                throw .conflict("there is no such note", at: "id")
            }
            note.text = input.text
            commit[notebook.notes, input.id] = note
        }
        give = Action { input, commit throws(Rejection) in
            guard commit[notebook.notes, input.id] != nil else {
                throw .conflict("there is no such note", at: "id")
            }
            commit[notebook.notes, input.id]?.owner = input.text
        }
    }
}

struct NotebookViewModel: ViewModel {
    let texts: Observable<[String]>
    let count: Observable<Int>

    init(_ notebook: NotebookState) {
        texts = notebook.notes.sorted(by: \.text).map { rows in rows.map(\.row.text) }
        count = notebook.notes.rowCount()
    }
}
