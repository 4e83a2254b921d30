import JSON
import StateModel

/// The actions that change definitions.
struct StreamsService: StateService {
    let put: Action<DefinitionDocument>
    let remove: Action<StreamReference>

    /// The names of the feature's own actions and views. No stream can have them, because the paths would be the same.
    static let taken = ["definitions", "put", "remove"]

    init(_ streams: StreamsState, _ views: SpaceViews, _ formulas: Formulas) {
        put = Action(reading: { DefinitionDocument(replayed: $0) }) { input, commit throws(Rejection) in
            do throws(DefinitionFaults) {
                var rows = commit.rows(of: streams.definitions)
                let (read, mentions, wrong) = StreamDefinition.read(input.document, formulas: formulas)
                var faults = wrong
                faults.add(Self.faults(in: mentions, among: rows, views))
                let id = mentions.id ?? ""
                if let read {
                    rows[id] = StoredDefinition(read)
                    do throws(DefinitionFaults) {
                        let program = try StreamProgram(read) { id throws(DefinitionFaults) in
                            try rows[id]?.definition(formulas)
                        }
                        faults.add(Self.faults(of: program, as: id, among: rows, formulas))
                        if program.role == .remembering {
                            faults.add(
                                program.views.filter { !views.isRememberable($0) }.sorted().map {
                                    DefinitionFault(
                                        "the view \"\($0)\" derives from what is in memory only, or from the time, so nothing "
                                            + "can remember its values", at: JSONPointer())
                                })
                        }
                        if read.beginsWithHistory, program.role == .remembering, !input.isReplayed {
                            faults.add([
                                DefinitionFault(
                                    "\"begin\" is 0, which replays the history: PUT the definition to streams/\(id)",
                                    at: JSONPointer(["begin"]))
                            ])
                        }
                    } catch {
                        faults.add(error.all)
                    }
                }
                guard faults.isEmpty else { throw DefinitionFaults(all: faults) }
                try Self.checkUsers(of: id, in: rows, formulas)
                commit[streams.definitions, id] = rows[id]
            } catch {
                throw Rejection(error)
            }
        }
        remove = Action { input, commit throws(Rejection) in
            let rows = commit.rows(of: streams.definitions)
            guard rows[input.id] != nil else { throw .conflict("there is no stream \"\(input.id)\"", at: "id") }
            let users = rows.filter { $0.value.references(formulas).contains(input.id) }.keys.sorted()
            guard users.isEmpty else {
                let names = users.map { "\"\($0)\"" }.joined(separator: ", ")
                throw .conflict(
                    "the stream \"\(input.id)\" is referred to by \(names): change or remove these first",
                    at: "id")
            }
            commit[streams.definitions, input.id] = nil
        }
    }

    /// Returns the faults of a document in relation to the others of the space.
    private static func faults(
        in mentions: Mentions, among rows: [String: StoredDefinition], _ views: SpaceViews
    ) -> [DefinitionFault] {
        var faults: [DefinitionFault] = []
        let id = mentions.id ?? ""
        if taken.contains(id) {
            faults.append(
                DefinitionFault(
                    "\"\(id)\" is the name of an action or a view of the streams; take another id",
                    at: JSONPointer(["id"])))
        }
        if rows[id] == nil, rows.count >= StreamLimits.definitions {
            faults.append(
                DefinitionFault(
                    "there are \(rows.count) streams, which is the limit: remove one first", at: JSONPointer()))
        }
        for reference in mentions.references where rows[reference.id] == nil && reference.id != id {
            faults.append(DefinitionFault("there is no stream \"\(reference.id)\"", at: reference.pointer))
        }
        for action in mentions.actions where !views.hasAction(action.name) {
            faults.append(
                DefinitionFault("there is no action \"\(action.name)\" in this space", at: action.pointer))
        }
        for view in mentions.views {
            if let fault = views.fault(of: view.name) {
                faults.append(DefinitionFault(fault, of: view.pointer))
            } else if views[view.name] == nil {
                faults.append(DefinitionFault("there is no view \"\(view.name)\" in this space", at: view.pointer))
            }
        }
        return faults
    }

    /// Returns the faults of a program as a view of the space.
    private static func faults(
        of program: StreamProgram, as id: String, among rows: [String: StoredDefinition], _ formulas: Formulas
    ) -> [DefinitionFault] {
        guard program.role == .remembering else { return [] }
        var faults = program.hasty.map { DefinitionFault(StreamProgram.hastyWords, at: $0) }
        let others = rows.filter { other, row in
            other != id && row.mayRemember(formulas) && StreamsState.remembers(other, in: rows, formulas)
        }
        if others.count >= StreamLimits.remembering {
            faults.append(
                DefinitionFault(
                    "there are \(others.count) streams over live views that remember, which is the limit: "
                        + "remove one first", at: JSONPointer()))
        }
        return faults
    }

    /// Checks that the definitions that refer to this one, directly or not, do not become too large.
    private static func checkUsers(
        of id: String, in rows: [String: StoredDefinition], _ formulas: Formulas
    ) throws(DefinitionFaults) {
        for user in users(of: id, in: rows, formulas).sorted() {
            guard let definition = try rows[user]?.definition(formulas) else { continue }
            do throws(DefinitionFaults) {
                _ = try StreamProgram(definition) { id throws(DefinitionFaults) in try rows[id]?.definition(formulas) }
            } catch {
                let why = error.all.first?.description ?? ""
                throw DefinitionFaults(all: [
                    DefinitionFault(
                        "the stream \"\(user)\" refers to this one, and could no longer run: \(why)",
                        at: JSONPointer())
                ])
            }
        }
    }

    /// Returns the ids of the definitions that refer to this one, directly or not.
    private static func users(of id: String, in rows: [String: StoredDefinition], _ formulas: Formulas) -> Set<String> {
        var users: Set<String> = []
        var waiting = [id]
        while let next = waiting.popLast() {
            for (user, row) in rows
            where user != id && row.references(formulas).contains(next) && users.insert(user).inserted {
                waiting.append(user)
            }
        }
        return users
    }
}

extension Rejection {
    /// The rejection of a definition with faults.
    package init(_ faults: DefinitionFaults) {
        let first = faults.all.first ?? DefinitionFault("it is not a definition", at: JSONPointer())
        self.init(
            .invalid, first.description, at: first.pointer, allowed: first.allowed,
            others: faults.all.dropFirst().map { Detail($0.description, at: $0.pointer, allowed: $0.allowed) })
    }
}

/// The input of `put`: the document of a definition. It is not read as the fields of a record, because the answer lists
/// all of its faults.
struct DefinitionDocument: Record {
    var document: JSON = [:]
    /// True if the caller has replayed the history of the space for the definition.
    var isReplayed = false

    static let shape = Shape(DefinitionDocument()) { _ in }
    static var schema: JSON { DefinitionSchema.definition }

    init() {}

    init(replayed document: JSON) {
        self.document = document
        isReplayed = true
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        document = try JSON(from: &reader)
    }

    func write(to writer: inout JSONWriter) {
        document.write(to: &writer)
    }
}

/// A stream, by its id.
struct StreamReference: Record {
    var id = ""

    static let shape = Shape(StreamReference()) {
        $0.required("id", \.id, .line(1...128))
    }
}
