import JSON
import Sockets
import StateStore

/// The rehearsals of actions: everything but the commit.
final class ActionRehearsals {
    private let store: Store
    private let past: PastReader
    private let executor: LoopExecutor

    init(_ store: Store, _ past: PastReader, _ executor: LoopExecutor) {
        (self.store, self.past, self.executor) = (store, past, executor)
    }

    /// Performs a call on a copy of its space, and passes its outcome to `conclude`.
    func run(
        _ call: Call, in space: SpaceName, _ conclude: @escaping (Result<ActionRehearsal, Refusal>) -> Void
    ) {
        let now = store.now
        store.withUnkeptRows(of: space) { [past, executor] rows in
            past.run(
                for: executor,
                { context throws(PastRefusal) in try ActionRehearsal.run(call, in: space, rows, at: now, context) },
                then: { result in
                    switch result {
                    case .success(let outcome): conclude(outcome)
                    case .failure(let refusal): conclude(.failure(.past(refusal)))
                    }
                })
        }
    }

    /// The members of the answer to a rehearsal, without its result and its views.
    func members(of rehearsal: ActionRehearsal, in space: SpaceName, for reader: Reader) -> JSON.Object {
        var object = JSON.Object()
        object["space"] = .string("\(space)")
        object["version"] = .number(Decimal(rehearsal.answer.version))
        object["rehearsed"] = true
        for member in changes(of: rehearsal, in: space, for: reader) { object[member.key] = member.value }
        return object
    }

    /// The members that `changes` would show a reader of the commit: `changed`, and what belongs to it.
    func changes(of rehearsal: ActionRehearsal, in space: SpaceName, for reader: Reader) -> JSON.Object {
        var members = JSON.Object()
        members["changed"] = [:]
        guard let commit = rehearsal.commit,
            let permit = try? CommitPermit.issue(in: space, to: reader)
        else { return members }
        var text: [UInt8] = []
        ChangeText.append(permit.shown(commit, by: store.registry), to: &text)
        guard let row = try? JSON(parsing: text, depth: JSONReader.greatestDepthLimit) else { return members }
        for name in ["changed", "partial", "memory", "partialMemory", "withheld"] {
            if let value = row[name] { members[name] = value }
        }
        return members
    }
}
