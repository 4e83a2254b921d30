import StateStore
import Streams

/// The names of the views that can be read in each space.
struct ViewNames {
    private let store: Store

    init(_ store: Store) {
        self.store = store
    }

    /// The features, which change with the documents that `common` holds.
    var registry: Registry { store.registry }

    /// The views that can be read without parameters.
    func all(in space: SpaceName) -> [ViewKey] {
        registry.views.map(\.name).filter { registry.hasView($0, in: space) }
    }

    /// The names of the views of a space that have a past.
    func allKept(in space: SpaceName) -> [ViewKey] { all(in: space).filter { registry.isKept($0) } }

    /// Returns the permit of the account of a request for views of a space; or answers why it has none, and returns nil.
    func permit(_ views: [ViewKey], in space: SpaceName, _ responder: Responder) -> ReadPermit? {
        do throws(Refusal) {
            return try ReadPermit.issue(views, in: space, to: responder.account.reader, by: registry)
        } catch {
            responder.answer(Problem(error))
            return nil
        }
    }

    /// Calls `body` with the permit, narrowed to the views whose rules are true now; without `leavingOut`, answers 403 if
    /// that is not all of them.
    func check(
        _ permit: ReadPermit, leavingOut: Bool = false, _ responder: Responder, _ body: @escaping (ReadPermit) -> Void
    ) {
        store.check(permit, leavingOut: leavingOut) { result in
            guard responder.isOpen else { return }
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let permitted): body(permitted)
            }
        }
    }

    /// Calls `body` with the permit for the views that feed a program, if the account may read these and the commits that
    /// feed it; or answers 403. `name` is that of the stream.
    func check(
        _ program: StreamProgram, named name: String, in space: SpaceName, _ responder: Responder,
        _ body: @escaping (ReadPermit) -> Void
    ) {
        guard mayReadCommits(of: program, responder) else {
            return responder.answer(Problem(Refusal.forbidden(view: name)))
        }
        // A name that cannot be read is that of no view, which is said when the program runs.
        let views = program.views.sorted().map { ViewKey($0) }.map { (try? store.viewName($0)) ?? $0 }
        guard let permit = permit(views, in: space, responder) else { return }
        check(permit, responder, body)
    }

    /// Returns false if a program reads hidden commits, and the account has not the right `admin`.
    func mayReadCommits(of program: StreamProgram, _ responder: Responder) -> Bool {
        responder.rights.contains(.admin) || !program.readsCommits(ofFeatures: registry.hidesCommits(of:))
    }

    func has(_ view: ViewKey, in space: SpaceName) -> Bool { registry.hasView(view, in: space) }

    /// Returns the problem of a view that does not exist.
    func noView(_ view: ViewKey, in space: SpaceName) -> Problem {
        Problem(
            .noSuchView, "there is no view \(view) in the space \(space): GET /v1 lists all",
            allowed: all(in: space).map(\.description))
    }
}
