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

    init(_ library: DocumentLibrary, _ past: PastReader, _ executor: LoopExecutor) {
        (self.library, self.past, self.executor) = (library, past, executor)
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
            let rows = part.isTable ? "\(part.rows) row\(part.rows == 1 ? "" : "s")" : "a value"
            return (
                "\(part.name) would vanish, with \(rows) in \(part.spaces) space\(part.spaces == 1 ? "" : "s"): give it another name with was, make rows of it with from, or write it in drops",
                "\(JSONPointer(place))"
            )
        }
        let others = errors.count > 1 ? " (and \(errors.count - 1) more: see errors)" : ""
        var problem = Problem(.invalid, ProblemText(errors[0].detail + others), at: errors[0].pointer)
        problem.extra["errors"] = .array(
            errors.map { ["pointer": .string($0.pointer), "detail": .string($0.detail)] })
        problem.extra["lost"] = json(lost)
        return problem
    }

    /// Answers with what a change of documents would make of the state of all spaces.
    func run(_ change: DocumentChange, to present: DeployedDocuments, _ errors: [DocumentFault], _ responder: Responder)
    {
        let rehearsal = rehearsal(of: change, to: present, responder)
        let documents = change.documents.compactMapValues { $0 }
        walk(LostState(documents, in: present), responder) { [self] lost in
            walk(rehearsal, responder) { found in
                Self.answer(found, Self.json(lost.lost), errors, responder)
            }
        }
    }

    private static func answer(
        _ found: MigrationRehearsal, _ lost: JSON, _ errors: [DocumentFault], _ responder: Responder
    ) {
        var object = found.json
        if lost != [] { object["lost"] = lost }
        if !errors.isEmpty {
            object["errors"] = .array(
                errors.map { ["pointer": .string("\($0.pointer)"), "detail": .string($0.detail)] })
        }
        responder.answer(now: JSON.object(object))
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

    /// Looks at all spaces, a page in each turn of the thread of the past, then calls `then` on this loop.
    private func walk<Look: StoredSpaceLook>(
        _ look: Look, after last: SpaceName? = nil, _ responder: Responder, _ then: @escaping (Look) -> Void
    ) {
        guard responder.isOpen else { return }
        past.run(
            for: executor,
            { context throws(PastRefusal) in
                var look = look
                return (try look.page(after: last, limit: Self.pageSize, context), look)
            },
            then: { [self] (result: Result<(SpaceName?, Look), PastRefusal>) in
                switch result {
                case .failure(let refusal): responder.answer(Problem(refusal))
                case .success((nil, let look)): then(look)
                case .success((let next?, let look)): walk(look, after: next, responder, then)
                }
            })
    }
}
