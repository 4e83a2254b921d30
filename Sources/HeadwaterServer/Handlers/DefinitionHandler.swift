import Hosting
import HTTP
import JSON
import StateStore
import Streams

/// The handler of stream definitions: it reads, puts and removes them.
final class DefinitionHandler {
    /// The number of times that the history is replayed again because of new commits.
    private static let attemptsLimit = 5

    private let store: Store
    private let names: ViewNames
    private let definitions: Definitions
    private let actions: ActionHandler
    private let viewTags: ViewTags
    private let putting: ActionID?
    private let removing: ActionID?
    private let past: PastReader
    private let executor: LoopExecutor

    init(
        _ definitions: Definitions, _ names: ViewNames, _ actions: ActionHandler, _ viewTags: ViewTags,
        _ registry: Registry,
        _ past: PastReader, _ executor: LoopExecutor
    ) {
        store = definitions.store
        self.names = names
        self.past = past
        self.executor = executor
        self.definitions = definitions
        self.actions = actions
        self.viewTags = viewTags
        putting = registry.action(feature: "streams", name: "put")
        removing = registry.action(feature: "streams", name: "remove")
    }

    func handle(_ request: borrowing Request, _ asked: StreamRequest) {
        switch request.method {
        case .put: put(request, asked)
        case .delete: remove(request, asked)
        default: read(request, asked)
        }
    }

    /// Answers with one definition as it was put.
    private func read(_ request: borrowing Request, _ asked: StreamRequest) {
        guard let named = KnownTags(of: request, .ifNoneMatch, asked.responder) else { return }
        let known = named.tags
        definitions.withLibrary(of: asked.space, asked.responder) { [viewTags, definitions] library in
            guard let document = library[asked.id] else { return asked.answerMissing() }
            let content = document.written
            let opaque = viewTags.opaque(of: content, named: "streams/\(asked.id)", in: asked.space)
            let versions = ShownVersions(definitions.moment(of: asked.space), of: asked.space)
            let tag = "\(versions.text)-\(opaque)"
            if let known, known.mean(opaque: opaque) {
                let element = known.element { ViewTag($0).map { $0.opaque == opaque } ?? false }
                return asked.responder.answerUnchanged(wait: nil) { $0.field("ETag", element ?? "\"\(tag)\"") }
            }
            asked.responder.answer(content, tag: tag)
        }
    }

    /// Puts a definition, whose id is that of the path, in the place of the present one.
    private func put(_ request: borrowing Request, _ stream: StreamRequest) {
        guard let putting,
            let asked = ActionRequest(putting, in: stream.space, stream.route, stream.responder).permitted(
                .define, bytes: request.body.count),
            ActionBody.isJSON(request, asked.responder)
        else { return }
        var document: JSON
        do {
            document = try JSON(parsing: request.content ?? [])
        } catch {
            return asked.responder.answer(Problem(Rejection(error)))
        }
        if case .object(var object) = document {
            if let own = object["id"], own != .string(stream.id) {
                let detail: ProblemText = "the id must be that of the path, \"\(stream.id)\", or be left out"
                return asked.responder.answer(Problem(.invalid, detail, at: "/id", allowed: [stream.id]))
            }
            object["id"] = .string(stream.id)
            document = .object(object)
        }
        guard let key = actions.key(of: request, asked.responder),
            let demand = demand(of: request, stream, asked.responder)
        else { return }
        // The space `common` has no streams, so its action answers.
        if document["begin"] == 0, stream.space != .common {
            guard asked.responder.hasRight(.admin, for: "a definition that begins with the history") else { return }
            return admit(document, asked) { [self] in
                putReplayed(document, asked, stream, key: key.text, demand, attempts: 0)
            }
        }
        let call = Call(
            putting, input: document.written, key: key.text, views: demand.permit, condition: demand.condition,
            by: asked.responder.account.subject
        ).with(tree: document)
        admit(document, asked) { [actions] in actions.perform(asked, call) }
    }

    /// Performs the action that puts a definition, as any action.
    func act(_ request: borrowing Request, _ asked: ActionRequest) {
        actions.act(request, asked) { call, asked, goOn in
            // Of what is no JSON the action says so.
            guard store.registry.hasRules, let input = call.input, let document = try? JSON(parsing: input) else {
                return goOn()
            }
            admit(document, asked, goOn)
        }
    }

    /// Returns true for the action that puts a definition.
    func puts(_ action: ActionID) -> Bool { action.name == putting?.name }

    /// Goes on if the account may put a definition as far as time is concerned; else answers 403.
    ///
    /// A change by time is a commit, which all see who may read the space. Over views that have rules it would tell
    /// something of their values, so only who may read these puts it.
    private func admit(_ document: JSON, _ asked: ActionRequest, _ goOn: @escaping () -> Void) {
        guard store.registry.hasRules else { return goOn() }
        definitions.withLibrary(of: asked.space, asked.responder, as: .server) { [names] library in
            guard let program = library.timedProgram(putting: document) else { return goOn() }
            names.check(program, named: "streams", in: asked.space, asked.responder) { _ in goOn() }
        }
    }

    /// Puts a definition with the memory that it has after the history of the space. If the space has a new commit
    /// meanwhile, the history is replayed again.
    private func putReplayed(
        _ document: JSON, _ asked: ActionRequest, _ stream: StreamRequest, key: String?, _ demand: Demand, attempts: Int
    ) {
        definitions.withLibrary(of: stream.space, asked.responder) { [self] library in
            // An invalid definition has no program; the action answers with its faults.
            guard let program = try? library.program(of: document), program.remembers else {
                return perform(document, nil, asked, key: key, demand) { _ in false }
            }
            past.replayHistory(of: program, in: stream.space, for: executor) { [self] replayed in
                switch replayed {
                case .success(let memory):
                    perform(document, memory, asked, key: key, demand) { [self] version in
                        guard version != memory.version, attempts < Self.attemptsLimit else { return false }
                        putReplayed(document, asked, stream, key: key, demand, attempts: attempts + 1)
                        return true
                    }
                case .failure(.gone(let oldest)): asked.responder.answer(.gone(oldest: oldest))
                case .failure(.journal(let failure)): asked.responder.answer(Problem(failure))
                case .failure(.busy): asked.responder.answer(Problem(PastRefusal.busy))
                }
            }
        }
    }

    /// Performs the action. `again` receives the version of a space that has changed, and returns true if it tries again.
    private func perform(
        _ document: JSON, _ memory: ReplayedMemory?, _ asked: ActionRequest, key: String?, _ demand: Demand,
        again: @escaping (Int) -> Bool
    ) {
        let call = Call(
            asked.action, input: document.written, key: key, ifVersion: memory?.version, views: demand.permit,
            condition: demand.condition, by: asked.responder.account.subject
        ).with(tree: document, memory)
        store.perform(call, in: asked.space) { [self] result in
            if case .failure(.changed(let version)) = result, again(version) { return }
            actions.conclude(result, asked)
        }
    }

    /// Removes a definition.
    private func remove(_ request: borrowing Request, _ stream: StreamRequest) {
        guard let removing,
            let asked = ActionRequest(removing, in: stream.space, stream.route, stream.responder).permitted(.define),
            let demand = demand(of: request, stream, asked.responder)
        else { return }
        let input: JSON = ["id": .string(stream.id)]
        let call = Call(
            removing, input: input.written, views: demand.permit, condition: demand.condition,
            by: asked.responder.account.subject)
        definitions.withLibrary(of: stream.space, asked.responder) { [actions] library in
            guard library[stream.id] != nil else { return stream.answerMissing() }
            actions.perform(asked, call)
        }
    }

    /// The demands that a request has on the present definition.
    private struct Demand {
        var condition: Call.Condition?
        /// The permit for the definitions, which the condition needs.
        var permit: ReadPermit?
    }

    /// Returns the demand of If-Match and If-None-Match; answers 400 and returns nil if one of these cannot be read.
    ///
    /// If-Match demands that the definition, or the version of its space, has one of the tags; If-None-Match that the
    /// definition has none of them or, with `*`, does not exist.
    private func demand(of request: borrowing Request, _ stream: StreamRequest, _ responder: Responder) -> Demand? {
        guard let wanted = KnownTags(of: request, .ifMatch, responder),
            let unwanted = KnownTags(of: request, .ifNoneMatch, responder)
        else { return nil }
        guard wanted.tags != nil || unwanted.tags != nil else { return Demand() }
        guard let permit = names.permit([Definitions.view], in: stream.space, responder) else { return nil }
        let (wantedTags, unwantedTags, id, space) = (wanted.tags, unwanted.tags, stream.id, stream.space)
        let isOfSpace = wantedTags.map { actions.condition($0, of: space, isOfViews: false) }
        let condition: Call.Condition = { [viewTags] version, news in
            // Definitions that cannot be read have no tag.
            guard case .success(let value)? = news.first?.frame.value,
                let library = try? DefinitionLibrary(parsing: value.bytes)
            else {
                return false
            }
            guard let document = library[id] else { return wantedTags == nil }
            let opaque = viewTags.opaque(of: document.written, named: "streams/\(id)", in: space)
            if let unwantedTags, unwantedTags.mean(opaque: opaque) { return false }
            guard let wantedTags, let isOfSpace else { return true }
            return wantedTags.mean(opaque: opaque) || isOfSpace(version, news)
        }
        return Demand(condition: condition, permit: permit)
    }
}
