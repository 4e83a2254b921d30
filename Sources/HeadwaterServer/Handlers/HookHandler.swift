import Ground
import HTTP
import JSON
import Outgoing
import Sockets
import StateStore

/// The handler of hooks, on the loop of `common`: it lists, describes, puts and removes them.
final class HookHandler {
    private let surroundings: HookSurroundings
    private let center: HookCenter
    private let names: ViewNames
    private let store: Store
    private let executor: LoopExecutor

    init(
        _ surroundings: HookSurroundings, _ center: HookCenter, _ names: ViewNames, _ store: Store,
        _ executor: LoopExecutor
    ) {
        self.surroundings = surroundings
        self.center = center
        self.names = names
        self.store = store
        self.executor = executor
    }

    /// Answers with the hooks of a space.
    func list(_ space: SpaceName, _ responder: Responder) {
        guard responder.hasRight(.define, for: "this") else { return }
        withVersions(of: space, responder) { [center] versions in
            let hooks = center.dispatcher?.hooks(of: space) ?? []
            responder.answer(now: ["hooks": .array(hooks.map { Self.description(of: $0, versions) })])
        }
    }

    /// Handles a request for one hook.
    func handle(_ request: borrowing Request, _ id: String, in space: SpaceName, _ responder: Responder) {
        guard responder.hasRight(.define, for: "this") else { return }
        guard let name = HookName(id, in: space) else {
            guard request.method == .put else { return answerMissing(id, in: space, responder) }
            return responder.answer(
                Problem(
                    .invalid,
                    "the id of a hook is a letter or a digit, then up to 127 letters, digits, dots, underscores or hyphens"
                ))
        }
        if request.method == .put || request.method == .delete, let document = center.dispatcher?[name]?.hook.document {
            return responder.answer(
                Problem(.conflict, "the hook belongs to the document \(document): change its member hooks"))
        }
        switch request.method {
        case .put: put(request, name, responder)
        case .delete: remove(name, responder)
        default: answer(name, Status(200), responder)
        }
    }

    private func answerMissing(_ id: String, in space: SpaceName, _ responder: Responder) {
        responder.answer(
            Problem(
                .noSuchHook, "there is no hook \(id) in the space \(space): GET /v1/spaces/\(space)/hooks lists all"))
    }

    /// The number of spaces that the description of one hook of a document has.
    private static let spacesLimit = 1_000

    /// Answers with the hooks that a document declares, and their places in the spaces that have them.
    func list(ofFeature feature: String, _ responder: Responder) {
        guard FeatureHandler.isAdmin(responder) else { return }
        guard let document = store.documents[feature] else {
            return responder.answer(Problem(.noSuchFeature, "there is no document \(feature)"))
        }
        let declared = DocumentHook.all(in: document)
        let deliveries = (center.dispatcher?.hooksOfDocuments ?? []).filter { $0.hook.document == feature }
        let places = declared.map { hook in
            deliveries.filter { $0.name.id == hook.id }.prefix(Self.spacesLimit).map { delivery in
                HookPlace(
                    space: delivery.name.space, cursor: delivery.version,
                    problem: delivery.problem, isStopped: delivery.isStopped)
            }
        }
        let owned = Confined(responder)
        surroundings.journalWriter.read(
            for: executor,
            { journal in
                do throws(JournalFailure) {
                    var versions: [SpaceName: Int] = [:]
                    for space in Set(places.joined().map(\.space)) {
                        versions[space] = try journal.version(of: space, at: .endOfTime) ?? 0
                    }
                    return Result<[SpaceName: Int], JournalFailure>.success(versions)
                } catch {
                    return .failure(error)
                }
            },
            then: { result in
                switch result {
                case .failure(let failure): owned.value.answer(Problem(failure))
                case .success(let versions):
                    let hooks = zip(declared, places).map { hook, places in
                        Self.description(of: hook, places, versions)
                    }
                    owned.value.answer(now: ["feature": .string(feature), "hooks": .array(hooks)])
                }
            })
    }

    /// The place of a hook of a document in one space.
    private struct HookPlace: Sendable {
        let space: SpaceName
        let cursor: Int
        let problem: String?
        let isStopped: Bool
    }

    private static func description(
        of hook: DocumentHook, _ places: [HookPlace], _ versions: [SpaceName: Int]
    ) -> JSON {
        let spaces = places.map { place -> JSON in
            [
                "space": .string("\(place.space)"), "cursor": .number(Decimal(place.cursor)),
                "behind": .number(Decimal(max(0, (versions[place.space] ?? 0) - place.cursor))),
                "problem": place.problem.map { .string($0) } ?? .null, "stopped": .bool(place.isStopped),
            ]
        }
        return [
            "id": .string(hook.name), "source": hook.source.json, "url": .string(hook.url),
            "secret": .string(hook.secret), "spaces": .array(spaces),
        ]
    }

    // MARK: Describing

    /// The newest versions of a space and of `common`, and those whose later commits the journal has.
    private struct Versions: Sendable {
        let newest: Moment
        let oldest: Moment

        init(of space: SpaceName, _ journal: any Journal) throws(JournalFailure) {
            let common = try Self.versions(of: .common, journal)
            let own = space == .common ? common : try Self.versions(of: space, journal)
            newest = Moment(version: own.newest, common: common.newest)
            oldest = Moment(version: own.oldest, common: common.oldest)
        }

        private static func versions(
            of space: SpaceName, _ journal: any Journal
        ) throws(JournalFailure) -> (newest: Int, oldest: Int) {
            var oldest = 0
            if case .gone(let first) = try journal.read(space, after: 0, limit: 1) { oldest = first }
            return (try journal.version(of: space, at: .endOfTime) ?? oldest, oldest)
        }
    }

    private func withVersions(of space: SpaceName, _ responder: Responder, _ then: @escaping (Versions) -> Void) {
        // In its first turn a loop may handle a request before it begins the effects.
        guard center.dispatcher != nil else {
            let owned = Confined({ [self] in readVersions(of: space, responder, then) })
            return executor.post { owned.value() }
        }
        readVersions(of: space, responder, then)
    }

    private func readVersions(of space: SpaceName, _ responder: Responder, _ then: @escaping (Versions) -> Void) {
        let owned = Confined((responder: responder, then: then))
        surroundings.journalWriter.read(
            for: executor,
            { journal in
                do throws(JournalFailure) {
                    return Result<Versions, JournalFailure>.success(try Versions(of: space, journal))
                } catch {
                    return .failure(error)
                }
            },
            then: { result in
                switch result {
                case .failure(let failure): owned.value.responder.answer(Problem(failure))
                case .success(let versions): owned.value.then(versions)
                }
            })
    }

    private func answer(_ name: HookName, _ status: Status, _ responder: Responder) {
        withVersions(of: name.space, responder) { [self] versions in
            guard let delivery = center.dispatcher?[name] else {
                return answerMissing(name.id, in: name.space, responder)
            }
            responder.answer(status, "application/json", Self.description(of: delivery, versions).written) { writer in
                writer.field("Cache-Control", "no-store")
                if status.code == 201 { writer.field("Location", name.path) }
            }
        }
    }

    /// Returns a hook and its place, without its secret.
    private static func description(of delivery: HookDelivery, _ versions: Versions) -> JSON {
        [
            "id": .string(delivery.name.id), "source": delivery.hook.source.json,
            "url": delivery.address.map { .string($0.url.text) } ?? .null,
            "cursor": .number(Decimal(delivery.version)),
            "behind": .number(Decimal(max(0, versions.newest.version - delivery.version))),
            "problem": delivery.problem.map { .string($0) } ?? .null, "stopped": .bool(delivery.isStopped),
        ]
    }

    // MARK: Changing

    private func put(_ request: borrowing Request, _ name: HookName, _ responder: Responder) {
        guard let responder = responder.takingAction(bytes: request.body.count),
            ActionBody.isJSON(request, responder)
        else { return }
        let document: HookDocument
        do throws(HookDocument.Refused) {
            document = try HookDocument(
                request.content ?? [], of: name, names, surroundings.allowed,
                surroundings.journal.digestKey)
        } catch {
            return responder.answer(error.problem)
        }
        check(document.source, in: name.space, responder) { [self] in put(document, name, responder) }
    }

    /// Calls `body` if the rules of a hook's view allow it to the account of a request; else answers 403.
    private func check(
        _ source: HookSource, in space: SpaceName, _ responder: Responder, _ body: @escaping () -> Void
    ) {
        guard case .view(let view) = source else { return body() }
        guard let permit = names.permit([ViewKey(view)], in: space, responder) else { return }
        guard permit.dependsOnReader else { return body() }
        surroundings.past.run(for: executor, by: responder.asker(space)) { context throws(PastRefusal) in
            try context.allows(permit)
        } then: { result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(false): responder.answer(Problem(Refusal.forbidden(view: view)))
            case .success(true): body()
            }
        }
    }

    private func put(_ document: HookDocument, _ name: HookName, _ responder: Responder) {
        withVersions(of: name.space, responder) { [self] versions in
            let isNew = center.dispatcher?[name] == nil
            var input = HookInput()
            input.hook = name.key
            switch document.source {
            case .changes(let patterns): input.changes = patterns
            case .view(let view): input.view = view
            }
            input.sealed = HookAddress.sealed(
                document.url, document.secret, of: name, by: responder.account.caller, surroundings.seal)
            (input.version, input.common) = (versions.newest.version, versions.newest.common)
            if !responder.rights.contains(.admin) { input.isLimited = true }
            (input.oldestVersion, input.oldestCommon) = (versions.oldest.version, versions.oldest.common)
            perform("put", input, name, responder) { [self] in answer(name, Status(isNew ? 201 : 200), responder) }
        }
    }

    private func remove(_ name: HookName, _ responder: Responder) {
        guard let responder = responder.takingAction() else { return }
        withVersions(of: name.space, responder) { [self] _ in
            guard let dispatcher = center.dispatcher, dispatcher[name] != nil else {
                return answerMissing(name.id, in: name.space, responder)
            }
            perform("remove", HookKey(hook: name.key), name, responder) { responder.answerNothing() }
        }
    }

    /// Performs an action of the feature in `common`. Neither log nor audit has its input.
    private func perform(
        _ action: String, _ input: some Record, _ name: HookName, _ responder: Responder, _ then: @escaping () -> Void
    ) {
        var writer = JSONWriter()
        input.write(to: &writer)
        let call = Call(
            feature: HookSource.ownFeature, action: action, input: writer.bytes, by: responder.account.subject
        ).byEffect
        store.perform(call, in: .common) { result in
            if let audit = responder.context.audit {
                var event = responder.event(.action)
                event.space = name.space
                event.action = "\(HookSource.ownFeature)/\(action)"
                switch result {
                case .success: event.outcome = "ok"
                case .failure(.journal): event.outcome = "failed"
                case .failure: event.outcome = "refused"
                }
                audit.write(event)
            }
            switch result {
            case .success: then()
            case .failure(let refusal): responder.answer(Problem(refusal))
            }
        }
    }
}
