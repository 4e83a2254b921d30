import HTTP
import JSON
import StateStore

/// The handler of `POST …/administration/edit`: an administrator changes rows, or undoes a commit, in one commit with a
/// reason.
final class EditHandler {
    /// The greatest number of rows of one edit.
    private static let editsLimit = 1_000
    /// The greatest number of characters of a reason.
    private static let reasonLimit = 1_000
    /// The number of times that an undoing is tried again because other commits came between.
    private static let attemptsLimit = 5

    private let actions: ActionHandler
    private let past: PastReader
    private let executor: LoopExecutor
    /// True if the program forbids edits.
    private let isForbidden: Bool

    init(_ actions: ActionHandler, _ past: PastReader, _ executor: LoopExecutor, isForbidden: Bool) {
        (self.actions, self.past, self.executor, self.isForbidden) = (actions, past, executor, isForbidden)
    }

    func edit(_ request: borrowing Request, in space: SpaceName, _ route: Route, _ responder: Responder) {
        let asked = ActionRequest(StateEdit.action, in: space, route, responder)
        guard let asked = asked.permitted(.admin, bytes: request.body.count) else { return }
        guard !isForbidden else {
            return asked.responder.answer(Problem(.forbidden, "this server was started with --no-edits"))
        }
        guard ActionBody.isJSON(request, asked.responder),
            let (input, object) = ActionBody.object(of: request, ["reason", "edits", "undo"], asked.responder)
        else { return }
        let change: EditChange
        do throws(BodyFault) {
            change = try Self.change(in: object)
        } catch {
            return asked.responder.answer(error.problem)
        }
        let isRehearsal = route.isOn("rehearse")
        guard !isRehearsal || route.views.isEmpty else {
            return asked.responder.answer(
                Problem(.invalid, "the rehearsal of an edit has no views: leave view out", allowed: ["rehearse"]))
        }
        guard let demanded = KnownTags(of: request, .ifMatch, asked.responder),
            let key = actions.key(of: request, asked.responder), let views = actions.views(of: asked)
        else { return }
        let condition = demanded.tags.map { actions.condition($0, of: space, isOfViews: views.permit != nil) }
        func call(_ edit: StateEdit) -> Call {
            edit.call(
                input: input, .object(object), key: isRehearsal ? nil : key.text, views: views.permit,
                condition: condition, caller: asked.responder.account.caller)
        }
        switch change {
        case .rows(let rows): actions.perform(asked, call(StateEdit(rows, isRehearsal: isRehearsal)))
        case .undo(let version): undo(version, asked, isRehearsal: isRehearsal, attempts: 0, call)
        }
    }

    private func undo(
        _ version: Int, _ asked: ActionRequest, isRehearsal: Bool, attempts: Int,
        _ call: @escaping (StateEdit) -> Call
    ) {
        past.run(for: executor) { [space = asked.space] context throws(PastRefusal) in
            StateEdit(undoing: version, in: space, context, isRehearsal: isRehearsal)
        } then: { [self] result in
            switch result {
            case .failure(let refusal): asked.responder.answer(Problem(refusal))
            case .success(let edit):
                actions.perform(asked, call(edit)) { [self] result in
                    // Another commit came between the look at the journal and the call.
                    guard case .failure(.contended) = result, attempts < Self.attemptsLimit else { return false }
                    undo(version, asked, isRehearsal: isRehearsal, attempts: attempts + 1, call)
                    return true
                }
            }
        }
    }

    // MARK: The body

    private enum EditChange {
        case rows([StateEdit.RowEdit])
        case undo(Int)
    }

    private struct BodyFault: Error {
        let problem: Problem

        init(_ detail: ProblemText, at pointer: JSONPointer, _ allowed: [String] = []) {
            problem = Problem(.invalid, detail, at: "\(pointer)", allowed: allowed)
        }
    }

    /// Reads `{"reason", "edits": […]}` or `{"reason", "undo": 17}`.
    private static func change(in object: JSON.Object) throws(BodyFault) -> EditChange {
        guard case .string(let reason)? = object["reason"], reason.contains(where: { !$0.isWhitespace }) else {
            throw BodyFault("reason says why, in words: it is kept with the commit", at: JSONPointer(["reason"]))
        }
        guard reason.count <= reasonLimit else {
            throw BodyFault("a reason has at most \(reasonLimit) characters", at: JSONPointer(["reason"]))
        }
        switch (object["edits"], object["undo"]) {
        case (let edits?, nil): return .rows(try rows(edits))
        case (nil, let undo?):
            guard case .number(let number) = undo, let version = number.int64, version > 0 else {
                throw BodyFault("undo is the version of a commit", at: JSONPointer(["undo"]))
            }
            return .undo(Int(version))
        default: throw BodyFault("send either edits or undo", at: JSONPointer(), ["edits", "undo"])
        }
    }

    private static func rows(_ json: JSON) throws(BodyFault) -> [StateEdit.RowEdit] {
        let pointer = JSONPointer(["edits"])
        guard case .array(let elements) = json, (1...editsLimit).contains(elements.count) else {
            throw BodyFault("edits is a list of 1 to \(editsLimit) edits", at: pointer)
        }
        var rows: [StateEdit.RowEdit] = []
        for (index, element) in elements.enumerated() {
            rows.append(try row(element, at: pointer.appending("\(index)")))
        }
        return rows
    }

    private static func row(_ json: JSON, at pointer: JSONPointer) throws(BodyFault) -> StateEdit.RowEdit {
        let changes = ["with", "row", "remove"]
        guard case .object(let object) = json else {
            throw BodyFault("an edit is an object with table, key, and one of with, row and remove", at: pointer)
        }
        for member in object where !(["table", "key"] + changes).contains(member.key) {
            throw BodyFault(
                "an edit has no member of this name", at: pointer.appending(member.key), ["table", "key"] + changes)
        }
        guard case .string(let table)? = object["table"] else {
            throw BodyFault("table is the name of a table, as in board.cards", at: pointer.appending("table"))
        }
        guard case .string(let key)? = object["key"] else {
            throw BodyFault("key is the key of a row", at: pointer.appending("key"))
        }
        guard changes.count(where: { object[$0] != nil }) == 1 else {
            throw BodyFault("an edit has one of with, row and remove", at: pointer, changes)
        }
        if let members = object["with"] {
            guard case .object(let members) = members else {
                throw BodyFault("with is an object of the members to replace", at: pointer.appending("with"))
            }
            return StateEdit.RowEdit(table, key, .members(members))
        }
        if let row = object["row"] {
            guard row != .null else {
                throw BodyFault("a row is never null: use remove", at: pointer.appending("row"), ["remove"])
            }
            return StateEdit.RowEdit(table, key, .row(row))
        }
        guard object["remove"] == true else {
            throw BodyFault("remove is true", at: pointer.appending("remove"), ["true"])
        }
        return StateEdit.RowEdit(table, key, .removal)
    }
}
