import HTTP
import JSON
import StateStore
import Sockets

/// Where values come from: the graph of a space, and the commits behind a view.
extension Desk {
    func answerGraph(of space: SpaceName, _ exchange: Exchange) {
        store.describe(service.viewNames(in: space), in: space) { [self] result in
            switch result {
            case .failure(let refusal): answer(exchange, Problem(refusal))
            case .success((let graph, let moment)):
                answerNow(
                    exchange,
                    [
                        "space": .string("\(space)"), "version": .number(Decimal(space == .common ? moment.common : moment.version)),
                        "isWhole": .bool(graph.isWhole),
                        "nodes": .array(
                            graph.nodes.map { ["id": .string($0.id), "kind": .string($0.kind.rawValue), "name": .string($0.name)] }),
                        "edges": .array(graph.edges.map { ["from": .string($0.from), "to": .string($0.to)] }),
                    ])
            }
        }
    }

    func answerWhy(_ view: String, in space: SpaceName, _ exchange: Exchange, _ account: Account) {
        guard service.registry.hasView(view, in: space) else {
            return answer(
                exchange,
                Problem(
                    .noSuchView, "there is no view \(view) in the space \(space): GET /v1 lists all there are",
                    allowed: service.viewNames(in: space)))
        }
        store.describe([view], in: space) { [self] result in
            switch result {
            case .failure(let refusal): answer(exchange, Problem(refusal))
            case .success((let graph, let moment)): findWhy(view, graph.variables(behind: view), moment, space, exchange, account)
            }
        }
    }

    private func findWhy(
        _ view: String, _ variables: [String], _ moment: Moment, _ space: SpaceName, _ exchange: Exchange, _ account: Account
    ) {
        let common = Set(service.registry.variables.filter { $0.scope == .common }.map(\.name))
        let ours = variables.filter { !common.contains($0) }
        let shared = variables.filter(common.contains)
        let owned = OnLoop((desk: self, exchange: exchange, account: account))
        service.keeper.read(
            for: service.homes[index],
            { journal in
                do throws(JournalFailure) {
                    return Result<(Provenance, Provenance), JournalFailure>.success(
                        (
                            try Provenance(of: ours, in: space, upTo: moment.version, journal),
                            try Provenance(of: shared, in: .common, upTo: moment.common, journal)
                        ))
                } catch {
                    return .failure(error)
                }
            },
            then: { result in
                let (desk, exchange, account) = owned.value
                switch result {
                case .failure(let failure): desk.answer(exchange, Problem(failure))
                case .success((let own, let other)):
                    let told = variables.map { name in
                        let isCommon = common.contains(name)
                        // Who may not read `common` may see what is derived from it, but not what it was told.
                        return Self.origin(
                            of: name, in: isCommon ? .common : space, isCommon ? other : own,
                            showsInput: !isCommon || account.token.covers(.common))
                    }
                    desk.answerNow(
                        exchange,
                        [
                            "space": .string("\(space)"), "view": .string(view),
                            "version": .number(Decimal(space == .common ? moment.common : moment.version)), "variables": .array(told),
                        ])
                }
            })
    }

    private static func origin(of variable: String, in space: SpaceName, _ provenance: Provenance, showsInput: Bool) -> JSON {
        var origin = JSON.Object()
        origin["variable"] = .string(variable)
        origin["space"] = .string("\(space)")
        origin["lookedBackTo"] = .number(Decimal(provenance.oldest))
        guard let commit = provenance.last[variable] else {
            origin["isAsItBegan"] = .bool(provenance.oldest <= 1)
            origin["commit"] = .null
            return .object(origin)
        }
        origin["isAsItBegan"] = .bool(false)
        var told = JSON.Object()
        told["version"] = .number(Decimal(commit.version))
        told["at"] = .string(TimeText.text(commit.at))
        told["action"] = .string(commit.action)
        if showsInput { told["input"] = input(of: commit) }
        told["changed"] = .array(commit.changed.map { .string($0) })
        origin["commit"] = .object(told)
        return .object(origin)
    }

    /// What an action was given. It was read as JSON before it was kept; if it cannot be any more, the rest is told without it.
    private static func input(of commit: CommitRecord) -> JSON {
        guard let bytes = commit.input else { return [:] }
        do throws(JSONError) {
            return try JSON(parsing: bytes)
        } catch {
            return .null
        }
    }

    /// Answers with what is so just now.
    private func answerNow(_ exchange: Exchange, _ content: JSON) {
        exchange.answer(.ok, "application/json", content.written) { [self] writer in
            writer.field("Cache-Control", "no-store")
            addOriginFields(exchange.connection, &writer)
        }
    }
}
