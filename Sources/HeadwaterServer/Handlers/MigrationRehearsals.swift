import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The looks at the stored state of all spaces that a document would change: on the thread of the past, a page of spaces
/// at a time.
final class MigrationRehearsals {
    private static let pageSize = 64

    private let library: DocumentLibrary
    private let past: PastReader
    private let executor: LoopExecutor
    private let reports: LaterReports

    init(_ library: DocumentLibrary, _ past: PastReader, _ executor: LoopExecutor, _ reports: LaterReports) {
        (self.library, self.past, self.executor, self.reports) = (library, past, executor, reports)
    }

    /// Calls `then` if no space has state that the documents leave out and do not name in `drops`; else answers 422 with the
    /// names and numbers.
    func findLost(
        _ documents: [String: JSON], in present: DeployedDocuments, isSingle: Bool, _ responder: Responder,
        _ then: @escaping () -> Void
    ) {
        let names = documents.filter { !present.lost($0.key, by: $0.value).isEmpty }
        guard !names.isEmpty else { return then() }
        walk(LostState(names, in: present), responder) { found in
            let lost = found.lost
            if lost.isEmpty { return then() }
            responder.answer(Self.problem(of: lost, isSingle: isSingle))
        }
    }

    /// Calls `then` if no space has rows that a unique index of a changed document would refuse; else answers 422 with the
    /// first of them.
    func findRepeated(
        _ change: DocumentChange, in present: DeployedDocuments, isSingle: Bool, _ responder: Responder,
        _ then: @escaping () -> Void
    ) {
        let changed = change.documents.filter { name, document in
            guard let document, let old = present[name], Self.uniqueIndex(of: document) != nil else { return false }
            // What the groups of an index follow from.
            return ["state", "types", "define"].contains { document[$0] != old[$0] }
        }
        guard let (name, document) = changed.min(by: { $0.key < $1.key }) else { return then() }
        let place = (isSingle ? [] : [name]) + (document.flatMap(Self.uniqueIndex(of:)) ?? [])
        walk(rehearsal(of: change, to: present, responder), responder) { found in
            guard found.repeatedCount > 0 else { return then() }
            responder.answer(Self.problem(of: found, at: JSONPointer(place)))
        }
    }

    /// The place of the first unique index of a document; nil if it has none.
    private static func uniqueIndex(of document: JSON) -> [String]? {
        guard case .object(let parts)? = document["state"] else { return nil }
        for part in parts {
            guard case .object(let indexes)? = part.value["indexes"] else { continue }
            if let index = indexes.first(where: { $0.value["unique"] == true }) {
                return ["state", part.key, "indexes", index.key]
            }
        }
        return nil
    }

    private static func problem(of found: MigrationRehearsal, at place: JSONPointer) -> Problem {
        let rows = found.repeatedCount == 1 ? "1 stored row has" : "\(found.repeatedCount) stored rows have"
        var problem = Problem(
            .invalid,
            ProblemText("\(rows) the values of another one in a unique index: change or remove one of each pair first"),
            at: "\(place)")
        problem.extra["repeated"] = .array(found.repeated)
        return problem
    }

    private func rehearsal(
        of change: DocumentChange, to present: DeployedDocuments, _ responder: Responder
    ) -> MigrationRehearsal {
        let permissions = responder.account.token.permissions
        return MigrationRehearsal(change, to: present, library) { permissions.rights(in: $0).contains(.admin) }
    }

    private static func problem(of lost: [LostState.LostPart], isSingle: Bool) -> Problem {
        let errors = lost.map { part -> (detail: String, pointer: String) in
            let place = (isSingle ? [] : [part.feature]) + ["drops"]
            return (part.words, "\(JSONPointer(place))")
        }
        let others = errors.count > 1 ? " (and \(errors.count - 1) more: see errors)" : ""
        var problem = Problem(.invalid, ProblemText(errors[0].detail + others), at: errors[0].pointer)
        problem.extra["errors"] = .array(
            errors.map { ["pointer": .string($0.pointer), "detail": .string($0.detail)] })
        problem.extra["lost"] = json(lost)
        return problem
    }

    /// Answers with what a change of documents would make of the state of all spaces; or, for a client that prefers so
    /// (RFC 7240), with the path of the report.
    func run(
        _ change: DocumentChange, to present: DeployedDocuments, _ errors: [DocumentFault], answersLater: Bool,
        _ responder: Responder
    ) {
        guard answersLater, let name = change.documents.keys.min() else {
            return rehearse(change, to: present, errors, while: { responder.isOpen }, responder) { report in
                switch report {
                case .success(let report): responder.answer(now: report)
                case .failure(let refusal): responder.answer(Problem(refusal))
                }
            }
        }
        guard let id = reports.begin(name, for: responder.account.subject) else {
            return responder.answer(Problem(PastRefusal.busy))
        }
        rehearse(change, to: present, errors, while: { true }, responder) { [reports] in reports.end(id, $0) }
        responder.answer(Status(202), nil, []) { writer in
            writer.field("Location", "/v1/features/\(name)/rehearsals/\(id)")
            writer.field("Preference-Applied", "respond-async")
            writer.field("Retry-After", 1)
            writer.field("Cache-Control", "no-store")
        }
    }

    /// Answers with the report of a rehearsal, or that it is not there yet.
    func answerReport(_ id: String, of name: String, _ responder: Responder) {
        switch reports.find(id, of: name, for: responder.account.subject) {
        case nil:
            responder.answer(
                Problem(.noSuchFeature, "there is no rehearsal \(id) of \(name): reports are kept for ten minutes"))
        case .running?:
            responder.answer(Status(202), nil, []) { writer in
                writer.field("Location", "/v1/features/\(name)/rehearsals/\(id)")
                writer.field("Retry-After", 1)
                writer.field("Cache-Control", "no-store")
            }
        case .done(.success(let report))?: responder.answer(now: report)
        case .done(.failure(let refusal))?: responder.answer(Problem(refusal))
        }
    }

    private func rehearse(
        _ change: DocumentChange, to present: DeployedDocuments, _ errors: [DocumentFault],
        while isWanted: @escaping () -> Bool, _ responder: Responder,
        _ then: @escaping (Result<JSON, PastRefusal>) -> Void
    ) {
        let rehearsal = rehearsal(of: change, to: present, responder)
        let documents = change.documents.compactMapValues { $0 }
        walk(LostState(documents, in: present), while: isWanted) { [self] lost in
            switch lost {
            case .failure(let refusal): then(.failure(refusal))
            case .success(let lost):
                walk(rehearsal, while: isWanted) { then($0.map { Self.report($0, lost, errors) }) }
            }
        }
    }

    /// The report of a rehearsal, with the state that would vanish and the reasons that old values may not fit.
    static func report(_ found: MigrationRehearsal, _ lost: LostState, _ errors: [DocumentFault]) -> JSON {
        var object = found.json
        let lost = json(lost.lost)
        if lost != [] { object["lost"] = lost }
        if !errors.isEmpty {
            object["errors"] = .array(
                errors.map { ["pointer": .string("\($0.pointer)"), "detail": .string($0.detail)] })
        }
        return .object(object)
    }

    private static func json(_ lost: [LostState.LostPart]) -> JSON {
        .array(
            lost.map { part in
                [
                    "name": .string(part.name), "spaces": .number(Decimal(part.spaces)),
                    "rows": .number(Decimal(part.rows)),
                ]
            })
    }

    /// Answers with the numbers of spaces that a migration has reached and has not.
    func count(_ name: String, _ failing: Int, _ responder: Responder) {
        walk(MigrationCount(of: name, library.latest), responder) { count in
            responder.answer(
                now: [
                    "left": .number(Decimal(max(0, count.left - failing))), "done": .number(Decimal(count.done)),
                    "failing": .number(Decimal(failing)),
                ])
        }
    }

    /// Looks at all spaces for a request, then calls `then` on this loop.
    private func walk<Look: StoredSpaceLook>(_ look: Look, _ responder: Responder, _ then: @escaping (Look) -> Void) {
        walk(look, while: { responder.isOpen }) { found in
            switch found {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let look): then(look)
            }
        }
    }

    /// Looks at all spaces, a page in each turn of the thread of the past, then calls `then` on this loop.
    private func walk<Look: StoredSpaceLook>(
        _ look: Look, after last: SpaceName? = nil, while isWanted: @escaping () -> Bool,
        _ then: @escaping (Result<Look, PastRefusal>) -> Void
    ) {
        guard isWanted() else { return }
        past.run(
            for: executor,
            { context throws(PastRefusal) in
                var look = look
                do throws(JournalFailure) {
                    return (try look.page(after: last, limit: Self.pageSize, in: context.journal), look)
                } catch {
                    throw .journal(error)
                }
            },
            then: { [self] (result: Result<(SpaceName?, Look), PastRefusal>) in
                switch result {
                case .failure(let refusal): then(.failure(refusal))
                case .success((nil, let look)): then(.success(look))
                case .success((let next?, let look)): walk(look, after: next, while: isWanted, then)
                }
            })
    }
}
