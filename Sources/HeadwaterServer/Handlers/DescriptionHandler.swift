import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The handler of descriptions: the index of all features, the graph of a space, and the commits behind a view.
final class DescriptionHandler {
    private let names: ViewNames
    private let served: ServedFeatures
    private let store: Store
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor

    init(
        _ names: ViewNames, _ served: ServedFeatures, _ store: Store,
        _ journalWriter: any JournalWriter, _ executor: LoopExecutor
    ) {
        self.names = names
        self.served = served
        self.store = store
        self.journalWriter = journalWriter
        self.executor = executor
    }

    /// Answers with the contract of the server, to a client that may see documents or not.
    func answerContract(_ request: borrowing Request, seesDocuments: Bool, _ responder: Responder) {
        answer(request, with: seesDocuments ? .contract : .openContract, responder)
    }

    func answerIndex(_ request: borrowing Request, _ responder: Responder) {
        answer(request, with: .index, responder)
    }

    private func answer(
        _ request: borrowing Request, with kind: ServedFeatures.Kind, _ responder: Responder
    ) {
        let known = request.field(.ifNoneMatch)
        // A shared cache may not give the contract of one token to another client.
        let varies = kind != .index && responder.context.access.isClosed
        served.find(kind, of: store.registry, for: executor) { asset in
            asset.answer(known: known, responder) { if varies { $0.field("Vary", "Authorization") } }
        }
    }

    func answerGraph(of space: SpaceName, _ responder: Responder) {
        guard let permit = names.permit(names.all(in: space), in: space, responder) else { return }
        names.check(permit, leavingOut: true, responder) { [self] in answerGraph(of: $0, responder) }
    }

    private func answerGraph(of permit: ReadPermit, _ responder: Responder) {
        let (space, registry, isAdmin) = (permit.space, names.registry, responder.rights.contains(.admin))
        store.describe(permit, withInstances: true) { result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success((let whole, let moment)):
                let graph = isAdmin ? whole : whole.without(registry.hidesCommits(of:))
                responder.answer(
                    now: [
                        "space": .string("\(space)"),
                        "version": .number(Decimal(space == .common ? moment.common : moment.version)),
                        "isWhole": .bool(graph.isWhole),
                        "nodes": .array(
                            graph.nodes.map { Self.described($0) }),
                        "edges": .array(graph.edges.map { ["from": .string($0.from), "to": .string($0.to)] }),
                    ])
            }
        }
    }

    private static func described(_ node: SpaceGraph.Vertex) -> JSON {
        var told = JSON.Object()
        told["id"] = .string(node.id)
        told["kind"] = .string(node.kind.rawValue)
        told["name"] = .string(node.name)
        if let key = node.rowKey { told["row"] = .string(key) }
        return .object(told)
    }

    /// Answers with the last commits that changed the variables behind a view.
    func answerWhy(_ view: ViewKey, in space: SpaceName, _ responder: Responder) {
        guard names.has(view, in: space) else { return responder.answer(names.noView(view, in: space)) }
        guard let permit = names.permit([view], in: space, responder) else { return }
        store.describe(permit) { [self] result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success((let graph, let moment)):
                guard let origins = graph.origins(behindViewOf: permit) else {
                    return responder.answer(names.noView(view, in: space))
                }
                let common = Set(names.registry.variables.filter { $0.scope == .common }.map(\.name))
                find(
                    Question(
                        view: view, space: space, moment: moment, origins: origins,
                        common: common, names: names.registry.namesInFacts, registry: names.registry), responder)
            }
        }
    }

    /// The question for the commits behind a view.
    private struct Question: Sendable {
        let view: ViewKey
        let space: SpaceName
        let moment: Moment
        let origins: [SpaceGraph.Origin]
        /// The variables of the space `common`.
        let common: Set<String>
        /// The names in facts of variables that have others there.
        let names: [String: String]
        let registry: Registry
    }

    private func find(_ question: Question, _ responder: Responder) {
        let owned = Confined(responder)
        journalWriter.read(
            for: executor,
            { journal in
                do throws(JournalFailure) {
                    let (moment, common) = (question.moment, question.common)
                    return Result<(Provenance, Provenance), JournalFailure>.success(
                        (
                            try Provenance(
                                of: question.origins.filter { !common.contains($0.variable) }, question.names,
                                in: question.space,
                                upTo: moment.version, journal),
                            try Provenance(
                                of: question.origins.filter { common.contains($0.variable) }, question.names,
                                in: .common,
                                upTo: moment.common, journal)
                        ))
                } catch {
                    return .failure(error)
                }
            },
            then: { result in
                switch result {
                case .failure(let failure): owned.value.answer(Problem(failure))
                case .success((let own, let other)): Self.send(own, other, question, owned.value)
                }
            })
    }

    private static func send(_ own: Provenance, _ common: Provenance, _ question: Question, _ responder: Responder) {
        guard let ownPermit = responder.commitPermit(in: question.space) else { return }
        // A token that does not cover `common` may see values derived from it, but not the inputs of its actions.
        let commonPermit = try? CommitPermit.issue(in: .common, to: responder.account.reader)
        let origins = question.origins.map { origin in
            let isCommon = question.common.contains(origin.variable)
            let (permit, provenance) = isCommon ? (commonPermit, common) : (ownPermit, own)
            return Self.origin(
                origin, in: isCommon ? .common : question.space, provenance,
                commit: provenance.last[origin].flatMap { permit?.shown($0, by: question.registry) })
        }
        let version = question.space == .common ? question.moment.common : question.moment.version
        responder.answer(
            now: [
                "space": .string("\(question.space)"), "view": .string("\(question.view)"),
                "version": .number(Decimal(version)),
                "variables": .array(origins),
            ])
    }

    /// Describes an origin. `commit` is the last one that changed it, as the reader sees it; nil without one, and for a
    /// reader who sees no commits of the space. Without more than its head, a commit says its version, time and action.
    private static func origin(
        _ asked: SpaceGraph.Origin, in space: SpaceName, _ provenance: Provenance, commit: ShownCommit?
    ) -> JSON {
        var origin = JSON.Object()
        let isWhole = commit.map { $0.part != .head } ?? true
        origin["variable"] = .string(asked.variable)
        if isWhole, let entry = asked.entry { origin["entry"] = .string(entry) }
        origin["space"] = .string("\(space)")
        origin["lookedBackTo"] = .number(Decimal(provenance.oldest + 1))
        guard let last = provenance.last[asked] else {
            origin["isAsItBegan"] = .bool(provenance.oldest == 0)
            origin["commit"] = .null
            return .object(origin)
        }
        origin["isAsItBegan"] = .bool(false)
        var told = JSON.Object()
        told["version"] = .number(Decimal(last.version))
        if isWhole { told["common"] = .number(Decimal(last.common)) }
        told["at"] = .string(RFC3339.text(microseconds: last.at.microseconds))
        if isWhole { told["by"] = ["sub": .string(commit?.head.by ?? "")] }
        told["action"] = .string(last.action)
        if let commit, isWhole {
            told["input"] = input(commit.input)
            told["changed"] = .array(commit.changed.map { .string($0) })
            let withheld = commit.withheld.filter { $0.tokens.first == "input" }
            if !withheld.isEmpty { told["withheld"] = .array(withheld.map { .string($0.description) }) }
        }
        origin["commit"] = .object(told)
        return .object(origin)
    }

    /// Returns the input of an action, or null if it is not JSON any more: then the answer has the rest.
    private static func input(_ bytes: [UInt8]?) -> JSON {
        guard let bytes else { return [:] }
        do throws(JSONError) {
            return try JSON(parsing: bytes)
        } catch {
            return .null
        }
    }
}

/// The last commits that changed some variables or entries of one space, found by the index of the journal.
struct Provenance: Sendable {
    /// The commit that changed each origin last; none for an origin that no stored commit has changed.
    private(set) var last: [SpaceGraph.Origin: CommitRecord] = [:]
    /// The version after which the journal stores all commits.
    let oldest: Int

    /// Finds the last commits up to a version. `names` are the names in facts of variables that have others there.
    init(
        of origins: [SpaceGraph.Origin], _ names: [String: String], in space: SpaceName, upTo version: Int,
        _ journal: any Journal
    ) throws(JournalFailure) {
        // The journal tells its oldest version if it is asked for commits after a version that there never was.
        if case .gone(let kept) = try journal.read(space, after: -1, limit: 1) {
            oldest = max(0, kept)
        } else {
            oldest = 0
        }
        for origin in origins {
            guard
                let head = try journal.lastChange(
                    of: names[origin.variable] ?? origin.variable, entry: origin.entry, in: space, upTo: version),
                case .commits(let records) = try journal.read(space, after: head.version - 1, limit: 1),
                let record = records.first
            else { continue }
            last[origin] = record
        }
    }
}
