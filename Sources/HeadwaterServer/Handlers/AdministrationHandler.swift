import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The handler of what the operator of a server reads: subjects, the audit log, limits. Its paths need the right `admin`
/// for all spaces.
final class AdministrationHandler {
    private let context: ResponseContext
    private let gatherer: StreamGatherer
    private let limits: JSON
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor

    init(
        _ context: ResponseContext, _ gatherer: StreamGatherer, _ limits: JSON, _ journalWriter: any JournalWriter,
        _ executor: LoopExecutor
    ) {
        self.context = context
        self.gatherer = gatherer
        self.limits = limits
        self.journalWriter = journalWriter
        self.executor = executor
    }

    func answerLimits(_ responder: Responder) {
        responder.answer(now: limits)
    }

    // MARK: Subjects

    /// Answers with a page of the subjects, in the order of their names.
    func listSubjects(_ route: Route, _ responder: Responder) {
        guard let limit = PageLimit.read(route, in: 1...SpaceListHandler.listLimit, standard: 100, responder)
        else { return }
        let (after, part) = (route["after"], route["search"]?.lowercased() ?? "")
        let owned = Confined(responder)
        gatherer.gather(for: executor) { [access = context.access] streams in
            let responder = owned.value
            var found = access.subjects.subjects
            // A stream can outlive all that the server remembers of its token.
            for name in streams.keys where found[name] == nil { found[name] = SubjectList.KnownSubject() }
            let names = found.keys.filter { name in
                (after.map { CodeUnitOrder.precedes($0, name) } ?? true)
                    && (part.isEmpty || name.lowercased().contains(part))
            }.sorted(by: CodeUnitOrder.precedes)
            let page = names.prefix(limit)
            var content = JSON.Object()
            content["subjects"] = .array(page.map { Self.json($0, found[$0] ?? .init(), streams[$0] ?? [:]) })
            if names.count > limit, let last = page.last {
                var next = "/v1/subjects?after=\(QueryText.encoded(last))&limit=\(limit)"
                if !part.isEmpty { next += "&search=\(QueryText.encoded(part))" }
                content["next"] = .string(next)
            }
            responder.answer(now: .object(content))
        }
    }

    /// The order of texts by their bytes.
    private enum CodeUnitOrder {
        static func precedes(_ one: String, _ other: String) -> Bool {
            one.utf8.lexicographicallyPrecedes(other.utf8)
        }
    }

    private static func json(_ name: String, _ subject: SubjectList.KnownSubject, _ streams: [Int: Int]) -> JSON {
        var row = JSON.Object()
        row["subject"] = .string(name)
        row["classes"] = .array(Account.Kind.allCases.filter(subject.kinds.contains).map { .string("\($0)") })
        row["rights"] = .array(subject.rights.names.map { .string($0) })
        row["tokens"] = .number(Decimal(subject.tokensCount))
        if subject.tokensCount > 0, let end = subject.end {
            row["expires"] = .string(RFC3339.text(microseconds: end.microseconds))
        }
        row["streams"] = .number(Decimal(streams.values.reduce(0, +)))
        var routes = JSON.Object()
        for (path, count) in streams.sorted(by: { $0.key < $1.key }) {
            routes[ResourceRow.templates[path]] = .number(Decimal(count))
        }
        row["routes"] = .object(routes)
        row["trials"] = .number(Decimal(subject.trialsCount))
        row["actions"] = .number(Decimal(subject.actionsCount))
        row["refusals"] = .number(Decimal(subject.refusalsCount))
        return .object(row)
    }

    // MARK: Audit

    /// Answers with the last events of the audit log.
    func readAudit(_ route: Route, _ responder: Responder) {
        guard let path = context.audit?.path else {
            return responder.answer(
                Problem(.noSuchPath, "this server writes no audit log: start it with --audit FILE"))
        }
        guard let limit = PageLimit.read(route, in: 1...AuditTail.linesLimit, standard: 100, responder) else { return }
        var before: Int?
        if let text = route["after"], !text.isEmpty {
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let offset = Int(text) else {
                return responder.answer(Problem(.invalid, "after must be the value of next in an earlier answer"))
            }
            before = offset
        }
        let owned = Confined(responder)
        journalWriter.read(
            for: executor,
            { [before] _ in
                do throws(AuditTail.TailFault) {
                    return Result<AuditTail, AuditTail.TailFault>.success(
                        try AuditTail(of: path, before: before, limit: limit))
                } catch {
                    return .failure(error)
                }
            },
            then: { Self.send($0, limit, owned.value) })
    }

    private static func send(
        _ result: Result<AuditTail, AuditTail.TailFault>, _ limit: Int, _ responder: Responder
    ) {
        switch result {
        case .success(let tail):
            var content = JSON.Object()
            content["events"] = .array(tail.events)
            if let next = tail.next { content["next"] = .string("/v1/audit?after=\(next)&limit=\(limit)") }
            responder.answer(now: .object(content))
        case .failure(.notAFile):
            responder.answer(Problem(.noSuchPath, "the audit log of this server is not a file that can be read again"))
        case .failure(.unreadable(let reason)):
            responder.context.log.write(.error, "the audit file cannot be read", [("reason", reason)])
            responder.answer(Problem(.unreadable, "the audit file cannot be read; the server's log says why"))
        }
    }
}
