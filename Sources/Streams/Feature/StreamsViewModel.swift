import JSON
import Reactive
import StateStore

/// What is shown of the streams: their definitions and, of each that is fed by live views alone, its latest value, under its id.
struct StreamsViewModel: OpenViewModel {
    let definitions: Observable<JSON>

    private let streams: StreamsState
    private let views: SpaceViews
    private let formulas: Formulas

    init(_ streams: StreamsState, _ views: SpaceViews, _ formulas: Formulas) {
        self.streams = streams
        self.views = views
        self.formulas = formulas
        definitions = streams.definitions.list { $0.key < $1.key }.map { .array($0.map(\.row.document)) }
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
                let feeds = Feeds { views[$0] }
                // What a definition has not said yet is null, and not what another said before.
                return append([.just(.null), program.observable(on: views.scheduler, feeds)])
            }
        // Of what is delivered in one turn the last is what is so.
        return combineLatest([values]).map { $0[0] }
    }

    /// What an id stands for, if that is live.
    private static func program(_ id: String, in rows: [String: StoredDefinition], _ formulas: Formulas) throws(MissingView) -> Program {
        guard let row = rows[id] else { throw MissingView("there is no stream \"\(id)\"") }
        let program: Program
        do throws(Faults) {
            program = try Program(try row.definition(formulas)) { id throws(Faults) in try rows[id]?.definition(formulas) }
        } catch {
            throw MissingView("the stream \"\(id)\" cannot run: \(error)")
        }
        guard program.isLive else {
            throw MissingView(
                "the stream \"\(id)\" is not fed by live views alone, so it has no value that is always so: run it, at streams/\(id)/values"
            )
        }
        return program
    }

    /// The definitions that one comes to, however far.
    private static func documents(of id: String, in rows: [String: StoredDefinition], _ formulas: Formulas) -> [String: StoredDefinition] {
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
