import JSON
import Reactive
import StateModel

/// The views of the streams: all definitions and, under its id, the value of each stream that live views alone feed.
struct StreamsViewModel: RememberingViewModel {
    let definitions: Observable<DefinitionLibrary>

    private let streams: StreamsState
    private let views: SpaceViews
    private let formulas: Formulas
    private let remembered: RememberedStreams

    var rememberer: any Rememberer { remembered }

    init(_ streams: StreamsState, _ views: SpaceViews, _ formulas: Formulas) {
        self.streams = streams
        self.views = views
        self.formulas = formulas
        remembered = RememberedStreams(streams, views, formulas)
        let rows = streams.definitions
        definitions = rows.map { [unowned rows] _ in DefinitionLibrary(rows.rows, formulas: formulas) }
    }

    func view(_ id: String) throws(MissingView) -> Observable<JSON> {
        _ = try Self.program(id, in: streams.definitions.rows, formulas)
        let rows = streams.definitions
        let views = views
        let formulas = formulas
        let remembered = remembered
        let values = Self.documents(of: id, in: rows, formulas, under: [])
            .removeDuplicates()
            .flatMapLatest { documents in
                let program = try Self.program(id, in: documents, formulas)
                if program.role == .remembering { return remembered.output(id) }
                // The value is null until the new definition delivers, and not the last value of the old one.
                return append([.just(.null), program.observable(over: views)])
            }
        // The last value of a turn is the value of the view.
        return combineLatest([values]).map { $0[0] }
    }

    func derivation(of id: String) -> ViewDerivation? {
        // A definition that is invalid for this release has no value.
        (try? StreamsState.program(id, in: streams.definitions.rows, formulas))?.derivation
    }

    func answer(ofRulesOf id: String, for viewer: Viewer) -> Observable<Bool> {
        let rows = streams.definitions
        let (views, formulas) = (views, formulas)
        let answers = Self.documents(of: id, in: rows, formulas, under: [])
            .removeDuplicates()
            .flatMapLatest { documents -> Observable<Bool> in
                // A stream that does not exist, or cannot run, shows nothing.
                guard let program = try? StreamsState.program(id, in: documents, formulas) else { return .just(true) }
                if !viewer.isAdmin, program.readsCommits(ofFeatures: views.hidesCommits(of:)) { return .just(false) }
                let answers = program.views.sorted().compactMap { views.answer(ofRulesOf: $0, for: viewer) }
                return answers.isEmpty ? .just(true) : combineLatest(answers).map { $0.allSatisfy(\.self) }
            }
        return combineLatest([answers]).map { $0[0] }
    }

    /// Returns the program of an id, if live views alone feed it.
    private static func program(
        _ id: String, in rows: [String: StoredDefinition], _ formulas: Formulas
    ) throws(MissingView) -> StreamProgram {
        let found: StreamProgram?
        do throws(DefinitionFaults) {
            found = try StreamsState.program(id, in: rows, formulas)
        } catch {
            throw MissingView("the stream \"\(id)\" cannot run: \(error)")
        }
        guard let program = found else { throw MissingView("there is no stream \"\(id)\"") }
        switch program.role {
        case .view, .remembering: return program
        case .fed:
            throw MissingView(
                "the stream \"\(id)\" has other sources than live views, so it does not always have a value; "
                    + "run it with GET streams/\(id)/values"
            )
        case .run(let name):
            throw MissingView(
                "the stream \"\(id)\" has the operator \(name), which is for runs only, so it is no view; "
                    + "run it with GET streams/\(id)/values",
                isForRuns: true)
        }
    }

    /// The definitions that a definition refers to, directly or not, and itself. It follows these rows alone, so another
    /// definition costs it nothing, and the graph knows which rows it comes from. `users` are the definitions on the way.
    private static func documents(
        of id: String, in rows: Table<String, StoredDefinition>, _ formulas: Formulas, under users: [String]
    ) -> Observable<[String: StoredDefinition]> {
        rows.row(id).flatMapLatest { row in
            guard let row else { return .just([:]) }
            let users = users + [id]
            let references = Set(row.references(formulas)).subtracting(users).sorted()
            guard !references.isEmpty else { return .just([id: row]) }
            return combineLatest(references.map { documents(of: $0, in: rows, formulas, under: users) })
                .map { $0.reduce(into: [id: row]) { all, some in all.merge(some) { one, _ in one } } }
        }
    }
}
