import JSON
import Reactive
import StateStore

/// The views of the streams: all definitions and, under its id, the value of each stream that live views alone feed.
struct StreamsViewModel: OpenViewModel {
    let definitions: Observable<DefinitionLibrary>

    private let streams: StreamsState
    private let views: SpaceViews
    private let formulas: Formulas

    init(_ streams: StreamsState, _ views: SpaceViews, _ formulas: Formulas) {
        self.streams = streams
        self.views = views
        self.formulas = formulas
        let rows = streams.definitions
        definitions = rows.map { [unowned rows] _ in DefinitionLibrary(rows.rows, formulas: formulas) }
    }

    func view(_ id: String) throws(MissingView) -> Observable<JSON> {
        _ = try Self.program(id, in: streams.definitions.rows, formulas)
        let rows = streams.definitions
        let views = views
        let formulas = formulas
        let values = rows.map { [unowned rows] _ in Self.documents(of: id, in: rows.rows, formulas) }
            .removeDuplicates()
            .flatMapLatest { documents in
                let program = try Self.program(id, in: documents, formulas)
                let sources = ExternalSources { views[$0] }
                // The value is null until the new definition delivers, and not the last value of the old one.
                return append([.just(.null), program.observable(on: views.scheduler, sources)])
            }
        // The last value of a turn is the value of the view.
        return combineLatest([values]).map { $0[0] }
    }

    /// Returns the program of an id, if live views alone feed it.
    private static func program(
        _ id: String, in rows: [String: StoredDefinition], _ formulas: Formulas
    ) throws(MissingView) -> StreamProgram {
        guard let row = rows[id] else { throw MissingView("there is no stream \"\(id)\"") }
        let program: StreamProgram
        do throws(DefinitionFaults) {
            program = try StreamProgram(try row.definition(formulas)) { id throws(DefinitionFaults) in
                try rows[id]?.definition(formulas)
            }
        } catch {
            throw MissingView("the stream \"\(id)\" cannot run: \(error)")
        }
        guard program.isLive else {
            throw MissingView(
                "the stream \"\(id)\" has other sources than live views, so it does not always have a value; "
                    + "run it with GET streams/\(id)/values"
            )
        }
        return program
    }

    /// Returns the definitions that a definition refers to, directly or not, and itself.
    private static func documents(
        of id: String, in rows: [String: StoredDefinition], _ formulas: Formulas
    ) -> [String: StoredDefinition] {
        var documents: [String: StoredDefinition] = [:]
        var waiting = [id]
        while let next = waiting.popLast() {
            guard documents[next] == nil, let row = rows[next] else { continue }
            documents[next] = row
            waiting += row.references(formulas)
        }
        return documents
    }
}
