import HTTP
import JSON
import StateStore

/// The handler of `POST …/rules:test`: it answers as a caller with other claims would be answered, and names the rules.
///
/// Only who administers all spaces may send it, who can read an export of all values anyway.
final class RuleTestHandler {
    private let store: Store
    private let rehearsals: ActionRehearsals

    init(_ store: Store, _ rehearsals: ActionRehearsals) {
        (self.store, self.rehearsals) = (store, rehearsals)
    }

    func run(_ request: borrowing Request, in space: SpaceName, _ responder: Responder) {
        guard let (body, responder) = ActionBody.json(of: request, responder) else { return }
        do throws(Rejection) {
            run(try RuleTest(body, store), in: space, responder)
        } catch {
            responder.answer(Problem(error))
        }
    }

    private func run(_ test: RuleTest, in space: SpaceName, _ responder: Responder) {
        let permissions: Permissions
        if let right = test.right {
            permissions = Permissions([.init(right, in: [.any])])
        } else if responder.context.access.hasGrants {
            permissions = responder.context.access.permissions(of: test.caller.claims)
        } else {
            permissions = Permissions([.init(.act, in: [.any])])
        }
        let reader = Reader(test.caller, permissions)
        note(test, in: space, responder)
        switch test.part {
        case .view(let view): read(view, in: space, reader, responder)
        case .action(let action, let input): perform(action, input, in: space, reader, responder)
        }
    }

    // MARK: Views

    private func read(_ view: ViewKey, in space: SpaceName, _ reader: Reader, _ responder: Responder) {
        let permit: ReadPermit
        do throws(Refusal) {
            permit = try ReadPermit.issue([view], in: space, to: reader, by: store.registry)
        } catch {
            return refuse(Problem(error), [], responder)
        }
        store.read(permit) { [self] result in
            guard responder.isOpen else { return }
            // The name alone stands for a view that has no place of its own.
            let rules = store.registry.rules(ofView: view).filter { $0 != "\(view)" }.map {
                RejectionCause(.rule, at: $0)
            }
            switch result {
            case .failure(.noSuchView): refuse(Problem(.noSuchView("\(view)")), [], responder)
            case .failure(let refusal): refuse(Problem(refusal), rules, responder)
            case .success(let reading): answer(view, reading.views.first?.frame, rules, responder)
            }
        }
    }

    private func answer(_ view: ViewKey, _ frame: Frame?, _ rules: [RejectionCause], _ responder: Responder) {
        guard let frame else { return refuse(Problem(.noSuchView("\(view)")), rules, responder) }
        if case .failure(let failure) = frame.value { return refuse(Problem(failure, of: "\(view)"), rules, responder) }
        var object = JSON.Object()
        object["value"] = (try? frame.tree()) ?? .null
        object["personal"] = .bool(store.registry.isPersonal(view))
        answer(object, rules, responder)
    }

    // MARK: Actions

    private func perform(
        _ action: ActionID, _ input: [UInt8]?, in space: SpaceName, _ reader: Reader, _ responder: Responder
    ) {
        let right = Rights(toPerformIn: action.scope, defines: action.defines)
        let rights = reader.permissions.rights(in: space)
        let rules = rules(of: action)
        guard rights.contains(right) else {
            let problem = Problem(.forbidden, "this action needs the right \(right), and the caller has \(rights)")
            return refuse(problem, rules, responder)
        }
        rehearsals.run(Call(action, input: input, caller: reader.caller), in: space) { [self] result in
            guard responder.isOpen else { return }
            responder.context.metrics.outcomes(of: action).count(.rehearsed)
            switch result {
            case .failure(let refusal): refuse(Problem(refusal), rules, responder)
            case .success(let rehearsal):
                var value = rehearsals.members(of: rehearsal, in: space, for: reader)
                if !rehearsal.answer.result.isEmpty {
                    value["result"] = try? JSON(parsing: rehearsal.answer.result)
                }
                var object = JSON.Object()
                object["value"] = .object(value)
                answer(object, rules, responder)
            }
        }
    }

    /// The rule and the guards of an action of a document, in the order in which an action asks them.
    private func rules(of action: ActionID) -> [RejectionCause] {
        guard let document = store.documents[action.feature], let definition = document["actions"]?[action.action]
        else { return [] }
        let place = "\(action.feature)#/actions/\(action.action)"
        var rules: [RejectionCause] = []
        if document["allow"]?["act"] != nil { rules.append(RejectionCause(.rule, at: "\(action.feature)#/allow/act")) }
        if definition["allow"] != nil { rules.append(RejectionCause(.rule, at: "\(place)/allow")) }
        if case .array(let guards)? = definition["require"] {
            rules += guards.indices.map { RejectionCause(.guard, at: "\(place)/require/\($0)/that") }
        }
        return rules
    }

    // MARK: Answers

    private func answer(_ members: JSON.Object, _ rules: [RejectionCause], _ responder: Responder) {
        var object = JSON.Object()
        object["status"] = 200
        for member in members { object[member.key] = member.value }
        send(object, rules, responder)
    }

    private func refuse(_ problem: Problem, _ rules: [RejectionCause], _ responder: Responder) {
        var object = JSON.Object()
        object["status"] = .number(Decimal(problem.kind.status))
        object["problem"] = problem.json
        if let cause = problem.cause {
            object["reason"] = cause.json(text(of:))
            object["used"] = cause.used
        } else if case .ofView? = problem.rule, let rule = rules.first {
            object["reason"] = rule.json(text(of:))
        }
        send(object, rules, responder)
    }

    private func send(_ object: JSON.Object, _ rules: [RejectionCause], _ responder: Responder) {
        var object = object
        object["rules"] = .array(rules.map { $0.json(text(of:)) })
        responder.answer(now: JSON.object(object))
    }

    private func text(of place: String) -> String? { ReasonHandler.text(of: place, store.documents) }

    /// Writes the test to the audit log.
    private func note(_ test: RuleTest, in space: SpaceName, _ responder: Responder) {
        guard let audit = responder.context.audit else { return }
        var event = responder.event(.ruleTest)
        event.space = space
        event.tested = test.caller.subject ?? ""
        switch test.part {
        case .view(let view): event.view = "\(view)"
        case .action(let action, _): event.action = action.name
        }
        audit.write(event)
    }
}
