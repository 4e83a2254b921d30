import Ground
import Platform
import HTTP
import JSON
import Sockets
import StateStore

/// The handler of documents and commits of the past: it reads documents as of a version, and plays the last commits of
/// spaces under other documents.
final class RehearsalHandler {
    private static let spacesLimit = 100
    private static let commitsLimit = 10_000
    private static let defaultCommits = 100
    private static let nanoseconds: Int64 = 1_000_000_000

    private let store: Store
    private let checks: DocumentChecks
    private let library: DocumentLibrary
    private let past: PastReader
    private let executor: LoopExecutor
    private let viewTags: ViewTags

    init(
        _ store: Store, _ viewTags: ViewTags, _ checks: DocumentChecks, _ library: DocumentLibrary, _ past: PastReader,
        _ executor: LoopExecutor
    ) {
        self.viewTags = viewTags
        (self.store, self.checks, self.library, self.past, self.executor) = (store, checks, library, past, executor)
    }

    /// A request as it was read.
    private struct Rehearsed: Sendable {
        let documents: [String: JSON]
        let spaces: [SpaceName]
        let commits: Int
    }

    /// Answers with a document as of a point of `common`.
    func readPast(_ request: borrowing Request, _ name: String, _ route: Route, _ responder: Responder) {
        guard FeatureHandler.isAdmin(responder) else { return }
        guard let text = route.at, let named = PointParameter(text, of: .common) else {
            return responder.answer(.unreadablePoint("at"))
        }
        let owned = Confined(responder)
        past.run(
            for: executor, by: responder.asker(.common),
            { context throws(PastRefusal) in
                let (documents, version) = try context.documents(at: named.point)
                return (documents[name], version)
            },
            then: { [viewTags] (result: Result<(JSON?, Int), PastRefusal>) in
                let responder = owned.value
                switch result {
                case .failure(let refusal): responder.answer(Problem(refusal))
                case .success((nil, let version)):
                    responder.answer(
                        Problem(.noSuchFeature, "there was no document \(name) at version \(version) of common"))
                case .success((let document?, let version)):
                    let content = document.written
                    let opaque = viewTags.opaque(of: content, named: "features/\(name)", in: .common)
                    responder.answer(content, tag: "\(version)-\(opaque)")
                }
            })
    }

    func run(_ request: borrowing Request, _ responder: Responder) {
        guard FeatureHandler.isAdmin(responder), let (body, responder) = ActionBody.json(of: request, responder) else {
            return
        }
        switch Self.read(body) {
        case .failure(let fault): responder.answer(Problem(Rejection(.invalid, fault.detail, at: fault.pointer)))
        case .success(let asked):
            // The rows name commits and actions of each space.
            if let space = asked.spaces.first(where: { !responder.account.reader.administers($0) }) {
                return responder.answer(
                    Problem(.forbidden, "this token has not the right admin in the space \(space)", at: "/spaces"))
            }
            let present = store.documents
            checks.check(asked.documents, beside: present, responder, comparesState: false) { [self] outcome in
                if let problem = outcome.faultProblem(isSingle: false) {
                    return responder.answer(Self.placed(problem))
                }
                rehearse(asked, beside: present, responder)
            }
        }
    }

    /// The pointers of faults begin with the member that has the documents.
    private static func placed(_ problem: Problem) -> Problem {
        var placed = problem
        placed.pointer = problem.pointer.map { "/documents" + $0 }
        if case .array(let errors)? = problem.extra["errors"] {
            placed.extra["errors"] = .array(
                errors.map { error in
                    guard case .object(var members) = error, case .string(let pointer)? = members["pointer"] else {
                        return error
                    }
                    members["pointer"] = .string("/documents" + pointer)
                    return .object(members)
                })
        }
        return placed
    }

    private static func read(_ body: JSON) -> Result<Rehearsed, DocumentFault> {
        guard case .object(let members) = body else {
            return .failure(DocumentFault("the body is an object", at: JSONPointer()))
        }
        for member in members where !["documents", "spaces", "commits"].contains(member.key) {
            return .failure(DocumentFault("there is no member \"\(member.key)\"", at: JSONPointer([member.key])))
        }
        guard case .object(let documents)? = members["documents"], members["documents"] != [:] else {
            return .failure(
                DocumentFault("documents is an object of documents by name", at: JSONPointer(["documents"])))
        }
        guard case .array(let names)? = members["spaces"], (1...spacesLimit).contains(names.count) else {
            return .failure(
                DocumentFault("spaces is a list of 1 to \(spacesLimit) names", at: JSONPointer(["spaces"])))
        }
        var spaces: [SpaceName] = []
        for (index, name) in names.enumerated() {
            guard case .string(let text) = name, let space = SpaceName(text) else {
                return .failure(
                    DocumentFault("this is no name of a space", at: JSONPointer(["spaces", "\(index)"])))
            }
            spaces.append(space)
        }
        var commits = defaultCommits
        if let value = members["commits"] {
            guard case .number(let number) = value, let count = number.int64, (1...Int64(commitsLimit)).contains(count)
            else {
                return .failure(
                    DocumentFault("commits is a number from 1 to \(commitsLimit)", at: JSONPointer(["commits"])))
            }
            commits = Int(count)
        }
        return .success(
            Rehearsed(
                documents: Dictionary(documents.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }),
                spaces: spaces, commits: commits))
    }

    private func rehearse(_ asked: Rehearsed, beside present: DeployedDocuments, _ responder: Responder) {
        let owned = Confined(responder)
        past.run(
            for: executor, by: responder.asker(nil),
            { [library, reader = responder.account.reader] context throws(PastRefusal) in
                let registry = library.registry(with: asked.documents, beside: present)
                let end = ComputingTime.now + Self.nanoseconds
                var found: [JSON] = []
                for space in asked.spaces {
                    var rehearsal = try Rehearsal(
                        of: space, last: asked.commits, under: registry, Set(asked.documents.keys), for: reader,
                        context)
                    for difference in try rehearsal.run(while: { ComputingTime.now < end }) {
                        var row = JSON.Object()
                        row["space"] = .string(space.description)
                        row["version"] = .number(Decimal(difference.version))
                        if let view = difference.view { row["view"] = .string(view) }
                        if let action = difference.action { row["action"] = .string(action) }
                        row["was"] = difference.was
                        row["is"] = difference.now
                        found.append(.object(row))
                    }
                }
                return found
            },
            then: { result in
                switch result {
                case .success(let differences): owned.value.answer(now: ["differences": .array(differences)])
                case .failure(.busy):
                    owned.value.answer(
                        Problem(.trialTooLarge, "the commits took longer than a second: play fewer, or fewer spaces"))
                case .failure(let refusal): owned.value.answer(Problem(refusal))
                }
            })
    }
}
