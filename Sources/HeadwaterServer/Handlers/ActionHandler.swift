import HTTP
import JSON
import Platform
import Sockets
import StateStore

/// The handler of actions.
final class ActionHandler {
    private let store: Store
    private let availability: Availability
    private let metrics: Metrics
    private let viewTags: ViewTags
    private let changeTags: ChangeTags
    private let journal: any Journal
    private let names: ViewNames
    private let rehearsals: ActionRehearsals
    private let cluster: ClusterFront?
    private let served: ServedFeatures

    init(
        _ names: ViewNames, _ store: Store, _ context: ResponseContext, _ changes: ChangeFeed, _ journal: any Journal,
        _ rehearsals: ActionRehearsals, _ served: ServedFeatures, _ cluster: ClusterFront? = nil
    ) {
        self.rehearsals = rehearsals
        self.served = served
        self.names = names
        self.cluster = cluster
        self.store = store
        self.journal = journal
        availability = context.availability
        metrics = context.metrics
        viewTags = changes.delivery.tags
        changeTags = changes.tags
    }

    /// Performs the action of a request. `admit` goes on, at once or later, unless it answers.
    func act(
        _ request: borrowing Request, _ asked: ActionRequest,
        admit: (Call, ActionRequest, _ goOn: @escaping () -> Void) -> Void = { $2() }
    ) {
        guard let asked = asked.permitted(asked.right, bytes: request.body.count),
            ActionBody.isJSON(request, asked.responder)
        else { return }
        let body = request.content
        act(request, body, asked, admit: admit) { key, views, condition in
            Call(
                asked.action, input: body, key: key, views: views, condition: condition,
                caller: asked.responder.account.caller)
        }
    }

    /// Performs the call that `make` returns for the key, the views and the condition of a request with a body, which is
    /// permitted.
    func act(
        _ request: borrowing Request, _ body: [UInt8]?, _ asked: ActionRequest,
        admit: (Call, ActionRequest, _ goOn: @escaping () -> Void) -> Void = { $2() },
        _ make: (_ key: String?, ReadPermit?, Call.Condition?) -> Call
    ) {
        guard let tags = KnownTags(of: request, .ifMatch, asked.responder) else { return }
        let condition = tags.tags.map { self.condition($0, of: asked.space, isOfViews: !asked.route.views.isEmpty) }
        guard let key = key(of: request, asked.responder), let queue = QueueFields(of: request, asked.responder),
            let views = views(of: asked)
        else { return }
        var asked = asked
        asked.isOfEarlierDocument = isOfEarlierDocument(request, asked.action)
        var call = make(key.text, views.permit, condition).with(queue.position)
        call.isOfEarlierDocument = asked.isOfEarlierDocument
        if asked.route.isRehearsal { return admit(call, asked) { [self, asked, call] in rehearse(asked, call) } }
        let forwarded = cluster?.forwarded(
            request, body, of: asked.space, takesKey: true, trace: asked.responder.exchange.trace)
        admit(call, asked) { [self, asked, call] in
            guard let cluster, let forwarded else { return perform(asked, call) }
            performInCluster(asked, call, forwarded, cluster)
        }
    }

    /// Performs a call on a copy of its space, and answers with its outcome.
    private func rehearse(_ asked: ActionRequest, _ call: Call) {
        var asked = asked
        if asked.responder.context.audit?.hasInputs ?? false { asked.input = call.input }
        let request = asked
        rehearsals.run(call, in: asked.space) { [self] result in
            outcomes(request).count(.rehearsed)
            var event = request.event(.rehearsed, store.registry)
            switch result {
            case .success(let rehearsal):
                var object = rehearsals.members(
                    of: rehearsal, in: request.space, for: request.responder.account.reader)
                if !rehearsal.answer.result.isEmpty {
                    object[request.batch == nil ? "result" : "results"] = try? JSON(parsing: rehearsal.answer.result)
                }
                if !request.route.views.isEmpty {
                    var views = JSON.Object()
                    for (view, frame) in rehearsal.answer.views {
                        views[view.description] = (try? frame.tree()) ?? .null
                    }
                    object["views"] = .object(views)
                }
                request.responder.answer(now: JSON.object(object))
            case .failure(let refusal):
                event = request.event(.rehearsed, of: refusal, store.registry)
                refuse(refusal, request)
            }
            request.responder.context.audit?.write(event)
        }
    }

    /// Performs an action that this node owns. It gets a key of its own if the client has sent none, so that a client
    /// which is told that the outcome is unknown can ask again.
    private func performInCluster(
        _ asked: ActionRequest, _ call: Call, _ request: ForwardedRequest, _ cluster: ClusterFront
    ) {
        var (asked, call) = (asked, call)
        if !request.isClientKey, let key = request.key {
            call = call.with(newKey: key + asked.responder.account.keySuffix)
        }
        // A request that another node has forwarded is tried again there.
        if asked.route[ForwardedRequest.mark] == nil { asked.forwarded = request }
        cluster.watch(asked.responder, request)
        perform(asked, call)
    }

    /// Returns true if a request was made for another definition of its feature than the present one.
    private func isOfEarlierDocument(_ request: borrowing Request, _ action: ActionID) -> Bool {
        guard request.has(.document), let hash = request.field(.document) else { return false }
        return served.hash(of: action.feature, store.registry) != hash
    }

    /// The views that a request wants in its answer.
    struct AnswerViews {
        /// The permit to read them; nil for none.
        let permit: ReadPermit?
    }

    /// Returns the views that a request wants in its answer; or answers why it cannot have them, and returns nil.
    func views(of asked: ActionRequest) -> AnswerViews? {
        guard !asked.route.views.isEmpty else { return AnswerViews(permit: nil) }
        return names.permit(asked.route.views, in: asked.space, asked.responder).map { AnswerViews(permit: $0) }
    }

    /// The idempotency key of a request, if it has one.
    struct Key {
        let text: String?
    }

    /// Returns the idempotency key of a request, with the subject in it; answers 400 and returns nil if it cannot be one.
    func key(of request: borrowing Request, _ responder: Responder) -> Key? {
        guard request.has(.idempotencyKey) else { return Key(text: nil) }
        guard let key = request.field(.idempotencyKey), (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            responder.answer(Problem(.badRequest, "an Idempotency-Key has 1 to 255 visible ASCII characters"))
            return nil
        }
        // A key is the subject's own.
        return Key(text: key + responder.account.keySuffix)
    }

    /// Performs a call, and answers with its outcome; not if `takes` returns true for it.
    func perform(
        _ asked: ActionRequest, _ call: Call, takes: @escaping (Result<Answer, Refusal>) -> Bool = { _ in false }
    ) {
        var asked = asked
        asked.performed = MonotonicTime.now
        if asked.responder.context.audit?.hasInputs ?? false { asked.input = call.input }
        let request = asked
        let result = store.perform(call, in: asked.space) {
            { [self] result in if !takes(result) { conclude(result, request) } }
        }
        if let result, !takes(result) { conclude(result, asked) }
    }

    /// Returns the condition that a space, or its views, have one of some tags.
    func condition(_ tags: EntityTags, of space: SpaceName, isOfViews: Bool) -> Call.Condition {
        if tags.isAny { return { version, _ in version > 0 } }
        if isOfViews {
            return { [viewTags] _, news in tags.mean(opaque: viewTags.opaque(of: news, in: space)) }
        }
        return { [journal] version, _ in
            let lives = journal.lives
            return tags.tags.contains { SpaceTag($0)?.means(version, of: space, in: lives) ?? false }
        }
    }

    /// Answers with the outcome of an action.
    func conclude(_ result: Result<Answer, Refusal>, _ asked: ActionRequest) {
        switch result {
        case .success(let answer):
            let outcome: Metrics.ActionOutcome = answer.isReplay ? .replayed : answer.changed.isEmpty ? .unchanged : .ok
            if let batch = asked.batch {
                for action in batch.ids { metrics.outcomes(of: action).count(outcome) }
            } else {
                outcomes(asked).count(outcome)
            }
            if let audit = asked.responder.context.audit {
                audit.write(asked.event(outcome, version: answer.version, store.registry))
            }
            if outcome == .ok {
                metrics.commitSeconds.add(Double(MonotonicTime.now - asked.responder.exchange.began) / 1e9)
                if !answer.isUnkept { availability.noteCanWrite() }
                if let trace = asked.responder.exchange.trace {
                    asked.responder.context.traces.note(trace, asked.space, answer.version)
                }
            }
            send(answer, asked)
        case .failure(.elsewhere) where asked.forwarded != nil && cluster != nil:
            if let request = asked.forwarded { cluster?.forwarder.forward(request, asked.responder) }
        case .failure(let refusal):
            var outcome = Metrics.ActionOutcome.refused
            if case .journal = refusal { outcome = .failed }
            outcomes(asked).count(outcome)
            if let audit = asked.responder.context.audit {
                audit.write(asked.event(outcome, of: refusal, store.registry))
            }
            refuse(refusal, asked)
        }
    }

    /// Returns the counts of the action's outcomes, which the route of the action keeps.
    private func outcomes(_ asked: ActionRequest) -> Metrics.Outcomes {
        let (route, action) = (asked.route, asked.action)
        if let outcomes = route.outcomes, outcomes.place === action { return outcomes }
        let outcomes = metrics.outcomes(of: action)
        route.outcomes = outcomes
        return outcomes
    }

    private func send(_ answer: Answer, _ asked: ActionRequest) {
        let result = asked.batch == nil ? ",\"result\":" : ",\"results\":"
        asked.responder.noteIfSlow(performed: asked.performed, used: answer.used)
        asked.responder.answer(writing: { Self.write(answer, asked.route, result, to: &$0) }) { writer in
            writer.fields("Content-Type: application/json\r\nCache-Control: no-store\r\n")
            if asked.route.views.isEmpty {
                changeTags.write(answer.version, of: asked.space, to: &writer)
            } else {
                writer.quoted("ETag", viewTags.tag(of: answer.views, at: answer.moment, in: asked.space))
            }
            if answer.isReplay { writer.field("Idempotency-Replayed", "true") }
        }
    }

    private static func write(_ answer: Answer, _ route: Route, _ result: String, to content: inout Outbox) {
        content.append(route.prefix)
        content.append(answer.version)
        content.append(",\"changed\":[")
        for index in answer.changed.indices {
            content.append(index == 0 ? "\"" : ",\"")
            content.append(text: answer.changed[index])
            content.append("\"")
        }
        content.append("]")
        if !answer.result.isEmpty {
            content.append(text: result)
            content.append(answer.result)
        }
        if !route.views.isEmpty {
            content.append(",\"views\":{")
            for (index, entry) in answer.views.enumerated() {
                content.append(index == 0 ? "\"" : ",\"")
                content.append(text: entry.view.description)
                content.append("\":")
                if case .success(let value) = entry.frame.value {
                    value.forEachPiece { content.append($0) }
                } else {
                    content.append("null")
                }
            }
            content.append("}")
        }
        content.append("}")
    }

    /// Answers with the refusal that an action in a queue had when it was performed.
    private func refuseAgain(_ refusal: Refusal, _ asked: ActionRequest) {
        var problem = problem(of: refusal, asked)
        var tag: String?
        if case .changed(let version) = refusal, asked.route.views.isEmpty {
            tag = changeTags.tag(of: version, in: asked.space)
            problem.extra["tag"] = tag.map { .string($0) }
        }
        asked.responder.answer(problem) { writer in
            if let tag { writer.quoted("ETag", tag) }
            writer.field("Idempotency-Replayed", "true")
        }
    }

    /// Returns the problem of a refused action: an input that the present definition of the feature does not take may have
    /// been made for an earlier one.
    private func problem(of refusal: Refusal, _ asked: ActionRequest) -> Problem {
        let problem = Problem(refusal)
        guard asked.isOfEarlierDocument, case .rejected(let rejection) = refusal, rejection.kind == .invalid else {
            return problem
        }
        var changed = Problem(
            .changedDocument, "the feature has changed since the action was made: \(ProblemText(problem.detail))",
            at: problem.pointer, allowed: problem.allowed)
        changed.extra = problem.extra
        return changed
    }

    /// Answers with the reason of a refusal and, to a client that demanded a tag, with the current one.
    private func refuse(_ refusal: Refusal, _ asked: ActionRequest) {
        let responder = asked.responder.performing(from: asked.performed)
        switch refusal {
        case .changed(let version):
            let views = asked.route.views
            guard !views.isEmpty else {
                return refuse(refusal, responder, tag: changeTags.tag(of: version, in: asked.space))
            }
            guard let permit = names.permit(views, in: asked.space, responder) else { return }
            store.read(permit) { [self] result in
                guard case .success(let reading) = result else { return responder.answer(Problem(refusal)) }
                refuse(refusal, responder, tag: viewTags.tag(of: reading.views, at: reading.moment, in: asked.space))
            }
        case .repeated(let repeated): refuseAgain(repeated.refusal, asked)
        case .wrongSpace(.common):
            let path = "\(asked.action.feature)/\(asked.action.action)"
            responder.answer(
                Problem(
                    .wrongSpace,
                    "\(asked.action.feature) exists once, in the space common: POST /v1/spaces/common/\(path)",
                    allowed: ["common"]))
        case .rejected(let rejection):
            var problem = problem(of: refusal, asked)
            if let rows = rejection.notUnique {
                problem.extra = rows.members(forAdministrator: responder.account.token.administers(asked.space))
            }
            responder.answer(problem)
        default: responder.answer(problem(of: refusal, asked))
        }
    }

    private func refuse(_ refusal: Refusal, _ responder: Responder, tag: String) {
        var problem = Problem(refusal)
        problem.extra["tag"] = .string(tag)
        responder.answer(problem) { $0.quoted("ETag", tag) }
    }
}

/// The fields `Headwater-Queue` and `Headwater-Time` of an action.
struct QueueFields {
    /// The position of the action in the queue of its client; nil for an action outside a queue.
    let position: QueuePosition?

    /// Reads the fields of a request. If they cannot be read, answers 400 and returns nil.
    init?(of request: borrowing Request, _ responder: Responder) {
        var time: Timestamp?
        if request.has(.clientTime) {
            guard let text = request.field(.clientTime), let read = Timestamp(text) else {
                responder.answer(Problem(.badRequest, "Headwater-Time is a time like 2026-01-31T12:00:00Z (RFC 3339)"))
                return nil
            }
            time = read
        }
        guard request.has(.queue) else {
            position = nil
            return
        }
        guard let text = request.field(.queue), let position = Self.position(text, time) else {
            responder.answer(
                Problem(
                    .badRequest,
                    "Headwater-Queue is CLIENT;N;A: 128 random bits in base64url, the number of the action from 1 on, and a smaller number up to which the client has all answers"
                ))
            return nil
        }
        self.position = position
    }

    private static func position(_ text: String, _ time: Timestamp?) -> QueuePosition? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map {
            String($0).trimmingSpaces
        }
        guard (2...3).contains(parts.count), let number = number(parts[1]) else { return nil }
        guard let answered = parts.count == 3 ? self.number(parts[2]) : 0 else { return nil }
        return QueuePosition(client: parts[0], number: number, answered: answered, time: time)
    }

    /// Returns a number of up to 15 digits.
    private static func number(_ text: String) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmingSpaces: String {
        var rest = self[...]
        while rest.first == " " { rest = rest.dropFirst() }
        while rest.last == " " { rest = rest.dropLast() }
        return String(rest)
    }
}
