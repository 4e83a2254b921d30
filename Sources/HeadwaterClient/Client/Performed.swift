import JSON
import Synchronization

/// An action that was performed on this device, and is on its way to the server.
///
///     let bid = space.perform("auction/bid", ["lot": "guitar", "amount": 120])
///     try await bid.durable()    // The commit is on the server's disk.
///     try await bid.shown()      // The watched views of the space show it.
///
/// Nobody has to wait: the action goes on without its caller, also after the app was ended. A refusal that nobody waited
/// for stays among the pending actions of the client.
public final class Performed<Output: Sendable>: Sendable {
    /// The name of the action in this client.
    public let id: String
    package let wait: ActionWait
    private let read: @Sendable (JSON) throws -> Output

    /// `told` is called once a caller has got a refusal.
    init(
        id: String, read: @escaping @Sendable (JSON) throws -> Output, told: @escaping @Sendable () -> Void = {}
    ) {
        self.id = id
        self.read = read
        wait = ActionWait(told: told)
    }

    /// The answer, as soon as the commit is durable. Throws a `ServerProblem` if the server refuses the action.
    @discardableResult
    public func durable() async throws -> ActionReply { try await wait.reply() }

    /// Returns as soon as the watched views of the space show the action, and it is durable. Throws a `ServerProblem` if
    /// the server refuses it.
    public func shown() async throws {
        try await wait.shown()
        _ = try await wait.reply()
    }

    /// The value that the action answers. Throws if the answer was lost.
    public func result() async throws -> Output {
        let reply = try await wait.reply()
        guard !reply.isUnknown else { throw ServerProblem.lostAnswer }
        return try read(reply.result ?? .null)
    }
}

extension ServerProblem {
    static let lostAnswer = ServerProblem(
        .answeredBefore, "the answer was lost, and later actions were answered")
}

/// The wait for one action.
package final class ActionWait: Sendable {
    private struct WaitState {
        var reply: ActionReply?
        var isShown = false
        var problem: ServerProblem?
        /// The next name of a waiter, and those that wait for each step.
        var nextName = 0
        var forReply: [Int: CheckedContinuation<Void, Never>] = [:]
        var forShown: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(WaitState())
    private let told: @Sendable () -> Void

    init(told: @escaping @Sendable () -> Void) { self.told = told }

    /// The answer, and the reason of a refusal, if they have come.
    package var outcome: (reply: ActionReply?, isShown: Bool, problem: ServerProblem?) {
        state.withLock { ($0.reply, $0.isShown, $0.problem) }
    }

    /// True if nothing more will come.
    var isOver: Bool { state.withLock { $0.problem != nil || $0.isShown && $0.reply != nil } }

    func reply() async throws -> ActionReply {
        let reply = try await wait(\.forReply) { $0.reply }
        return reply
    }

    func shown() async throws {
        _ = try await wait(\.forShown) { $0.isShown ? true : nil }
    }

    private func wait<Value: Sendable>(
        _ waiters: any WritableKeyPath<WaitState, [Int: CheckedContinuation<Void, Never>]> & Sendable,
        _ value: @Sendable (WaitState) -> Value?
    ) async throws -> Value {
        let name = state.withLock { state in
            state.nextName += 1
            return state.nextName
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard value(state) == nil, state.problem == nil, !Task.isCancelled else { return true }
                    state[keyPath: waiters][name] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0[keyPath: waiters].removeValue(forKey: name) }?.resume()
        }
        let (value, problem) = state.withLock { (value($0), $0.problem) }
        if let value { return value }
        guard let problem else { throw CancellationError() }
        told()
        throw problem
    }

    func settle(_ outcome: ActionEnding) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            switch outcome {
            case .durable(let reply):
                state.reply = reply
                defer { state.forReply = [:] }
                return Array(state.forReply.values)
            case .shown:
                state.isShown = true
                defer { state.forShown = [:] }
                return Array(state.forShown.values)
            case .refused(let problem), .abandoned(let problem):
                state.problem = problem
                defer { (state.forReply, state.forShown) = ([:], [:]) }
                return Array(state.forReply.values) + Array(state.forShown.values)
            }
        }
        for waiter in waiters { waiter.resume() }
    }
}
