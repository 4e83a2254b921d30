import Documents
import HTTP
import JSON
import Sockets
import StateStore

/// The handler of features: it lists them, and puts and removes their documents.
final class FeatureHandler {
    /// The number of times that a document is checked again because others have changed.
    private static let attemptsLimit = 5

    private let store: Store
    private let viewTags: ViewTags
    private let checks: DocumentChecks
    private let served: ServedFeatures
    /// True if a directory holds the documents, so that requests cannot change them.
    private let isFixed: Bool
    private let removing = ActionID.removing
    private let putting = ActionID.putting
    private let migrations: MigrationRehearsals
    private let hooks: HookSurroundings

    init(
        _ store: Store, _ viewTags: ViewTags, _ checks: DocumentChecks, _ served: ServedFeatures,
        _ migrations: MigrationRehearsals, _ hooks: HookSurroundings, isFixed: Bool
    ) {
        self.served = served
        self.hooks = hooks
        self.migrations = migrations
        self.store = store
        self.viewTags = viewTags
        self.checks = checks
        self.isFixed = isFixed
    }

    // MARK: Reading

    /// Answers with the list of all features, or puts several documents.
    func handleAll(_ request: borrowing Request, _ route: Route, _ responder: Responder) {
        if request.method == .put { return putSeveral(request, responder) }
        guard responder.hasRight(.read, for: "this"),
            let known = KnownTags(of: request, .ifNoneMatch, responder)
        else { return }
        let list = list(seesDocuments: responder.account.token.administers(.common))
        send(list.json.written, named: "", known.tags, responder)
    }

    /// Answers with one feature, or puts or removes its document.
    func handle(_ request: borrowing Request, _ name: String, _ route: Route, _ responder: Responder) {
        guard Self.isAdmin(responder) else { return }
        switch request.method {
        case .put: put(request, name, route, responder)
        case .delete: remove(request, name, route, responder)
        default:
            guard let known = KnownTags(of: request, .ifNoneMatch, responder) else { return }
            guard let content = list(seesDocuments: true).content(of: name) else {
                return responder.answer(missing(name))
            }
            if store.documents[name] != nil, Self.wantsComments(request) {
                let text = store.documents.text(of: name).map { Array($0.utf8) } ?? content
                return send(text, "application/jsonc", opaque: textDigest(text, name), known.tags, responder)
            }
            send(content, named: name, known.tags, responder)
        }
    }

    /// Returns true if a request names JSON with comments, and does not prefer JSON.
    private static func wantsComments(_ request: borrowing Request) -> Bool {
        guard let accept = request.field(.accept).map({ Acceptance($0) }) else { return false }
        return accept.names("application", "jsonc")
            && (!accept.names("application", "json")
                || accept.quality(of: "application", "jsonc") >= accept.quality(of: "application", "json"))
    }

    private func textDigest(_ text: [UInt8], _ name: String) -> String {
        viewTags.opaque(of: text, named: "features/\(name);jsonc", in: .common)
    }

    /// Answers with the spaces in which the state of a feature could not be migrated.
    func answerProblems(of name: String, _ responder: Responder) {
        guard Self.isAdmin(responder) else { return }
        guard store.documents[name] != nil || store.registry.has(name) else { return responder.answer(missing(name)) }
        var problems: [JSON] = []
        if let faults = store.documentFaults[name] {
            problems += faults.all.map { fault in
                ["detail": .string(fault.detail), "pointer": .string("\(fault.pointer)")]
            }
        }
        for (space, reason) in store.library?.problems(of: name) ?? [] {
            problems.append(["space": .string(space.description), "detail": .string(reason)])
        }
        responder.answer(now: ["problems": .array(problems)])
    }

    /// Answers with the indexes and walks by which the views, rules and actions of a feature find rows.
    func answerPlan(of name: String, _ responder: Responder) {
        guard Self.isAdmin(responder) else { return }
        guard let plan = store.registry.plan(of: name) else { return responder.answer(missing(name)) }
        responder.answer(now: ["feature": .string(name), "plan": .array(plan)])
    }

    /// Answers with the part of a document that clients need to perform its actions over a replica.
    func answerClient(of name: String, _ request: borrowing Request, _ responder: Responder) {
        guard responder.hasRight(.read, for: "this"), let known = KnownTags(of: request, .ifNoneMatch, responder) else {
            return
        }
        guard case .object(var content)? = store.registry.client(of: name) else {
            return responder.answer(
                Problem(
                    .noSuchFeature, "there is no feature \(name) with a replica: its document says what clients hold"))
        }
        content["hash"] = served.hash(of: name, store.registry).map { .string($0) }
        send(JSON.object(content).written, named: "\(name)/client", known.tags, responder)
    }

    private func send(_ content: [UInt8], named name: String, _ known: EntityTags?, _ responder: Responder) {
        send(content, "application/json", opaque: digest(of: content, name), known, responder)
    }

    private func send(
        _ content: [UInt8], _ type: StaticString, opaque: String, _ known: EntityTags?, _ responder: Responder
    ) {
        let tag = "\(store.shownCommon)-\(opaque)"
        if let known, known.mean(opaque: opaque) {
            let element = known.element { ViewTag($0).map { $0.opaque == opaque } ?? false }
            return responder.answerUnchanged(wait: nil) { $0.field("ETag", element ?? "\"\(tag)\"") }
        }
        responder.answer(.ok, type, content) { writer in
            writer.quoted("ETag", tag)
            writer.field("Cache-Control", "no-cache")
            writer.field("Vary", "Accept")
        }
    }

    private func digest(of content: [UInt8], _ name: String) -> String {
        viewTags.opaque(of: content, named: "features/\(name)", in: .common)
    }

    /// The tag of a feature's document or description.
    private func wholeTag(_ content: [UInt8], _ name: String) -> String {
        "\(store.shownCommon)-\(digest(of: content, name))"
    }

    private func list(seesDocuments: Bool) -> FeatureList {
        FeatureList(store.registry, store.documents, seesDocuments: seesDocuments, tag: wholeTag)
    }

    private func missing(_ name: String) -> Problem {
        Problem(.noSuchFeature, "there is no feature \(name): GET /v1/features lists all")
    }

    /// Returns true if the account may change the space `common`; else answers 403.
    static func isAdmin(_ responder: Responder) -> Bool {
        if responder.account.token.administers(.common) { return true }
        responder.answer(Problem(.forbidden, "this needs the right admin in the space common"))
        return false
    }

    // MARK: Changing

    /// The demands of a request on the present documents.
    private struct Demand {
        let wanted: EntityTags?
        let unwanted: EntityTags?

        /// True if any documents will do.
        var isEmpty: Bool { wanted == nil && unwanted == nil }
    }

    private func demand(of request: borrowing Request, _ responder: Responder) -> Demand? {
        guard let wanted = KnownTags(of: request, .ifMatch, responder),
            let unwanted = KnownTags(of: request, .ifNoneMatch, responder)
        else { return nil }
        return Demand(wanted: wanted.tags, unwanted: unwanted.tags)
    }

    /// Returns true if the present content satisfies a demand; else answers 412.
    private func isMet(_ demand: Demand, by content: [UInt8]?, _ name: String, _ responder: Responder) -> Bool {
        let text = store.documents.text(of: name).map { Array($0.utf8) } ?? content
        let known = content.map { [digest(of: $0, name), textDigest(text ?? $0, name)] } ?? []
        func isNamed(by tags: EntityTags) -> Bool {
            !known.isEmpty && (tags.isAny || known.contains { tags.mean(opaque: $0) })
        }
        var isMet = true
        if let wanted = demand.wanted { isMet = isNamed(by: wanted) }
        if let unwanted = demand.unwanted, isNamed(by: unwanted) { isMet = false }
        if isMet { return true }
        let tag = content.map { wholeTag($0, name) }
        var problem = Problem(.changed, "the document is another one: read it again before you retry")
        problem.extra["tag"] = tag.map { .string($0) }
        responder.answer(problem) { writer in if let tag { writer.quoted("ETag", tag) } }
        return false
    }

    /// Reads the body of a request that puts documents; answers why it cannot be read, and returns nil.
    private func body(
        of request: borrowing Request, rehearses: Bool = false, _ responder: Responder
    ) -> (body: DocumentBody, responder: Responder)? {
        guard !isFixed || rehearses else {
            responder.answer(
                Problem(.conflict, "this server takes its features from --features: change the files, then send SIGHUP")
            )
            return nil
        }
        return ActionBody.documents(of: request, responder)
    }

    /// Answers with what documents would make of the state of all spaces.
    private func rehearse(
        _ documents: [String: JSON], _ faults: [String: [DocumentFault]], answersLater: Bool, _ responder: Responder
    ) {
        let present = store.documents
        checks.check(documents, beside: present, responder, rehearses: true) { [self] outcome in
            let outcome = outcome.adding(faults)
            if let problem = outcome.problem(isSingle: true) { return responder.answer(problem) }
            let change = DocumentChange(documents.mapValues { $0 }, migrated: outcome.migrated, to: present)
            let errors = outcome.stateFaults.values.flatMap { $0 }
            migrations.run(change, to: present, errors, answersLater: answersLater, responder)
        }
    }

    /// Answers with the numbers of spaces that have a feature's state in its present form, and that do not yet.
    func answerMigration(of name: String, _ responder: Responder) {
        guard Self.isAdmin(responder) else { return }
        guard store.documents[name] != nil else { return responder.answer(missing(name)) }
        migrations.count(name, store.library?.problems(of: name).count ?? 0, responder)
    }

    /// Answers with the report of a rehearsal.
    func answerReport(_ id: String, of name: String, _ responder: Responder) {
        guard Self.isAdmin(responder) else { return }
        migrations.answerReport(id, of: name, responder)
    }

    private func put(_ request: borrowing Request, _ name: String, _ route: Route, _ responder: Responder) {
        guard let (body, responder) = body(of: request, rehearses: route.isRehearsal, responder),
            let demand = demand(of: request, responder)
        else { return }
        guard isFree(name, at: "", responder) else { return }
        guard body.text.count <= DocumentLimits.textBytes else {
            return responder.answer(
                Problem(.invalid, "the document has more than \(DocumentLimits.textBytes) bytes", at: ""))
        }
        let faults = self.faults(of: body.content, name)
        if route.isRehearsal {
            let answersLater = request.field(.prefer).map { Preference.has("respond-async", in: $0) } ?? false
            return rehearse([name: body.content], faults, answersLater: answersLater, responder)
        }
        change([name: body.content], of: body, isSingle: true, faults, attempts: 0, responder) { [self] in
            isMet(demand, by: store.documents[name]?.written, name, responder)
        }
    }

    private func putSeveral(_ request: borrowing Request, _ responder: Responder) {
        guard Self.isAdmin(responder), let (body, responder) = body(of: request, responder),
            let demand = demand(of: request, responder)
        else { return }
        guard case .object(let members) = body.content, body.content != [:] else {
            return responder.answer(
                Problem(.invalid, "the body is an object of documents by the names of their features", at: ""))
        }
        var documents: [String: JSON] = [:]
        var faults: [String: [DocumentFault]] = [:]
        for member in members {
            guard !isTaken(member.key, at: "\(JSONPointer([member.key]))", responder) else { return }
            documents[member.key] = member.value
            faults.merge(self.faults(of: member.value, member.key)) { one, _ in one }
        }
        let names = documents.keys
        change(documents, of: body, isSingle: false, faults, attempts: 0, responder) { [self] in
            if demand.unwanted?.isAny ?? false, demand.wanted == nil {
                guard let there = names.first(where: { store.documents[$0] != nil }) else { return true }
                return isMet(demand, by: store.documents[there]?.written, there, responder)
            }
            guard !demand.isEmpty else { return true }
            return isMet(demand, by: list(seesDocuments: true).json.written, "", responder)
        }
    }

    /// Returns true if a document may have a name; else answers why not.
    private func isFree(_ name: String, at pointer: String, _ responder: Responder) -> Bool {
        guard !isTaken(name, at: pointer, responder) else { return false }
        guard Registry.isName(name) else {
            responder.answer(Problem(.invalid, ProblemText(Self.naming(name)), at: pointer))
            return false
        }
        return true
    }

    private static func naming(_ name: String) -> String {
        "a feature cannot be called \"\(name)\": \(Registry.naming)"
    }

    /// Returns true if a name is reserved, or that of a feature of the program, and answers so.
    private func isTaken(_ name: String, at pointer: String, _ responder: Responder) -> Bool {
        if let fault = ReservedNames.fault(of: name) {
            responder.answer(Problem(.conflict, ProblemText(fault), at: pointer))
            return true
        }
        guard store.registry.isOfProgram(name) else { return false }
        responder.answer(Problem(.conflict, "\(name) is a feature of the program: choose another name", at: pointer))
        return true
    }

    /// Returns the faults of a document that are not those of what it describes, by its name.
    private func faults(of document: JSON, _ name: String) -> [String: [DocumentFault]] {
        let all = (Self.fault(of: document, name).map { [$0] } ?? []) + DocumentHook.faults(in: document, hooks)
        return all.isEmpty ? [:] : [name: all]
    }

    /// Returns the fault of a document that has nothing to do with what it describes; nil if it has none.
    private static func fault(of document: JSON, _ name: String) -> DocumentFault? {
        guard Registry.isName(name) else { return DocumentFault(naming(name), at: JSONPointer()) }
        guard case .object = document else { return DocumentFault("a document is a JSON object", at: JSONPointer()) }
        guard case .string(let own)? = document["feature"], own != name else { return nil }
        return DocumentFault(
            "the feature must be that of the path, \"\(name)\"", at: JSONPointer(["feature"]), allowed: [name])
    }

    /// Checks documents on another thread, then puts them. `isMet` answers itself if it returns false.
    private func change(
        _ documents: [String: JSON], of body: DocumentBody, isSingle: Bool, _ faults: [String: [DocumentFault]],
        attempts: Int,
        _ responder: Responder, isMet: @escaping () -> Bool
    ) {
        guard responder.isOpen, isMet() else { return }
        let present = store.documents
        let texts = isSingle ? documents.compactMapValues { _ in body.keptText } : [:]
        checks.check(documents, texts: texts, beside: present, responder) { [self] outcome, change in
            let outcome = outcome.adding(faults)
            if let problem = outcome.problem(isSingle: isSingle) { return responder.answer(body.locating(problem)) }
            func put() {
                perform(change, putting, responder) { [self] result in
                    switch result {
                    case .failure(let refusal) where refusal.isStale && attempts < Self.attemptsLimit:
                        self.change(
                            documents, of: body, isSingle: isSingle, faults, attempts: attempts + 1, responder,
                            isMet: isMet)
                    case .failure(let refusal): responder.answer(Problem(refusal))
                    case .success(let answer):
                        let isNew = documents.keys.contains { present[$0] == nil }
                        conclude(
                            documents, isNew: isNew, isSingle: isSingle, answer.version, outcome.warnings, responder)
                    }
                }
            }
            migrations.findLost(documents, in: present, isSingle: isSingle, responder) { [self] in
                migrations.findRepeated(change, in: present, isSingle: isSingle, responder, put)
            }
        }
    }

    private func conclude(
        _ documents: [String: JSON], isNew: Bool, isSingle: Bool, _ version: Int,
        _ warnings: [String: [DocumentFault]], _ responder: Responder
    ) {
        let entries = documents.keys.sorted().map { name -> JSON in
            var entry = JSON.Object()
            entry["feature"] = .string(name)
            entry["version"] = .number(Decimal(version))
            entry["warnings"] = warnings[name].map { faults in
                .array(faults.map { ["pointer": .string("\($0.pointer)"), "detail": .string($0.detail)] })
            }
            return .object(entry)
        }
        let content = isSingle ? entries[0] : ["features": .array(entries)]
        let single = isSingle ? documents.first : nil
        responder.answer(isNew ? Status(201) : .ok, "application/json", content.written) { writer in
            if let single { writer.quoted("ETag", "\(version)-\(digest(of: single.value.written, single.key))") }
            writer.field("Cache-Control", "no-store")
            if isNew, let single { writer.field("Location", "/v1/features/\(single.key)") }
        }
    }

    private func remove(_ request: borrowing Request, _ name: String, _ route: Route, _ responder: Responder) {
        guard !isFixed else {
            return responder.answer(
                Problem(.conflict, "this server takes its features from --features: remove the file, then send SIGHUP"))
        }
        guard let responder = responder.takingAction(), let demand = demand(of: request, responder) else { return }
        guard route["state"] == nil || route["state"] == "drop" else {
            return responder.answer(Problem(.invalid, "state is drop, or left out", at: "/state", allowed: ["drop"]))
        }
        if store.registry.isOfProgram(name) {
            return responder.answer(Problem(.conflict, "\(name) is a feature of the program, not a document"))
        }
        remove(name, dropsState: route["state"] == "drop", demand, attempts: 0, responder)
    }

    private func remove(_ name: String, dropsState: Bool, _ demand: Demand, attempts: Int, _ responder: Responder) {
        let present = store.documents
        guard let document = present[name] else { return responder.answer(missing(name)) }
        guard isMet(demand, by: document.written, name, responder) else { return }
        let users = checks.users(of: name, among: present)
        guard users.isEmpty else {
            return responder.answer(
                Problem(
                    .conflict, "\(name) is given to \(users.joined(separator: ", ")): change or remove these first"))
        }
        guard dropsState || !checks.hasState(name, in: present) else {
            return responder.answer(
                Problem(.conflict, "\(name) has state: DELETE /v1/features/\(name)?state=drop drops it"))
        }
        let change = DocumentChange([name: nil], dropsState: true, to: present)
        perform(change, removing, responder) { [self] result in
            switch result {
            case .failure(let refusal) where refusal.isStale && attempts < Self.attemptsLimit:
                remove(name, dropsState: dropsState, demand, attempts: attempts + 1, responder)
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success: responder.answerNothing()
            }
        }
    }

    private func perform(
        _ change: DocumentChange, _ action: ActionID, _ responder: Responder,
        _ reply: @escaping (Result<Answer, Refusal>) -> Void
    ) {
        store.performAnywhere(change.call(by: responder.account.subject), in: .common) { result in
            var outcome = Metrics.ActionOutcome.refused
            var version: Int?
            if case .success(let answer) = result {
                outcome = answer.changed.isEmpty ? .unchanged : .ok
                version = answer.version
            }
            responder.context.metrics.outcomes(of: action).count(outcome)
            if let audit = responder.context.audit {
                var event = responder.event(.action)
                event.space = .common
                event.action = action.name
                event.outcome = "\(outcome)"
                event.version = version
                audit.write(event)
            }
            reply(result)
        }
    }

    // MARK: Tests

    /// Runs the tests of a document, which is not kept.
    func test(_ request: borrowing Request, _ responder: Responder) {
        guard Self.isAdmin(responder), let (body, responder) = ActionBody.documents(of: request, responder) else {
            return
        }
        let document = body.content
        guard case .object = document else {
            return responder.answer(Problem(.invalid, "a document is a JSON object", at: ""))
        }
        var name = "feature"
        if case .string(let own)? = document["feature"], Registry.isName(own) { name = own }
        guard !store.registry.isOfProgram(name) else {
            return responder.answer(Problem(.conflict, "\(name) is a feature of the program", at: "/feature"))
        }
        checks.check([name: document], beside: store.documents, responder, comparesState: false) { outcome in
            if let problem = outcome.faultProblem(isSingle: true) { return responder.answer(body.locating(problem)) }
            let tests = outcome.tests[name] ?? DocumentTests(passed: 0)
            if let excess = tests.excess { return responder.answer(Problem(.trialTooLarge, ProblemText(excess))) }
            responder.answer(
                now: [
                    "passed": .number(Decimal(tests.passed)),
                    "failed": .array(
                        tests.failed.map { failure in
                            [
                                "pointer": .string("\(failure.pointer)"), "name": .string(failure.name),
                                "detail": .string(failure.detail),
                            ]
                        }),
                ])
        }
    }
}

extension ActionID {
    /// The actions that change documents, for metrics and the audit log.
    fileprivate static let putting = ActionID(feature: DeployedDocuments.feature, action: "put")
    fileprivate static let removing = ActionID(feature: DeployedDocuments.feature, action: "remove")
}

extension Refusal {
    /// True if a change was checked with documents that have changed meanwhile.
    fileprivate var isStale: Bool {
        if case .rejected(let rejection) = self { rejection.description == DocumentChange.staleReason } else { false }
    }
}

/// The features of a server: those of its program, and the documents.
struct FeatureList {
    private let registry: Registry
    private let index: Index
    private let documents: DeployedDocuments
    private let seesDocuments: Bool
    private let tag: (_ content: [UInt8], _ name: String) -> String

    /// A list in which each feature has the tag that `tag` returns for its content. The tag of a document depends on
    /// its text, with initial values that may be secret, only for a reader who sees documents.
    init(
        _ registry: Registry, _ documents: DeployedDocuments, seesDocuments: Bool,
        tag: @escaping (_ content: [UInt8], _ name: String) -> String
    ) {
        (self.registry, self.documents, self.seesDocuments, self.tag) = (registry, documents, seesDocuments, tag)
        index = Index(of: registry)
    }

    /// The features of the program in the order of their registration, then the documents in that of their names.
    var json: JSON {
        let ofProgram = registry.namesOfProgram.filter { !ReservedNames.internalFeatures.contains($0.name) }
        var entries = ofProgram.map { entry($0.name, "swift", home: $0.scope == .common ? "common" : "space") }
        for (name, document) in documents.documents.sorted(by: { $0.key < $1.key }) {
            entries.append(entry(name, "document", home: document["home"] == "common" ? "common" : "space"))
        }
        return ["features": .array(entries)]
    }

    private func entry(_ name: String, _ form: String, home: String) -> JSON {
        let isOpen = seesDocuments || documents[name] == nil
        let content = isOpen ? content(of: name) ?? [] : Array("\(documents.edition(of: name))".utf8)
        return [
            "name": .string(name), "form": .string(form), "home": .string(home), "etag": .string(tag(content, name)),
        ]
    }

    /// The document of a feature, or the description of one of the program; nil if there is none.
    func content(of name: String) -> [UInt8]? {
        if let document = documents[name] { return document.written }
        guard !ReservedNames.internalFeatures.contains(name),
            let scope = registry.namesOfProgram.first(where: { $0.name == name })?.scope,
            case .object(var description) = index.feature(name)
        else { return nil }
        description["form"] = "swift"
        description["home"] = .string(scope == .common ? "common" : "space")
        return JSON.object(description).written
    }
}
