import Ground
import Reactive

/// The performing of actions.
extension Store {
    /// Performs an action. The answer comes when its changes are durable.
    package func perform(_ call: Call, in name: SpaceName, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        if let result = perform(call, in: name, orLater: { reply }) { reply(result) }
    }

    /// Performs an action. Returns the result if it is known at once: if the journal never blocks and no other work
    /// waits. Then the caller needs no closure. Otherwise the closure that `later` makes receives it.
    package func perform(
        _ call: Call, in name: SpaceName, orLater later: () -> (Result<Answer, Refusal>) -> Void
    ) -> Result<Answer, Refusal>? {
        guard name == .common, let ownership = context.ownership else {
            return performHere(call, in: name, orLater: later)
        }
        let reply = later()
        let seen: (Result<Answer, Refusal>) -> Void = { [executor = context.executor] result in
            guard case .success(let answer) = result else { return reply(result) }
            let owned = Confined(reply)
            ownership.whenSeen(answer.version) { executor.post { owned.value(result) } }
        }
        if let result = performHere(call, in: name, orLater: { seen }) { seen(result) }
        return nil
    }
}
