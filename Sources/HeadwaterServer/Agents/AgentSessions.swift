import Platform
import StateStore

/// The sessions of agents whose protocol version keeps subscriptions on the server, for all loops.
final class AgentSessions: Sendable {
    /// The greatest number of sessions; beyond it the one that was used longest ago ends.
    static let limit = 1_000
    /// The greatest number of resources of a session.
    static let resourcesLimit = 100

    private struct AgentSession {
        /// The caller that has opened it.
        let owner: String
        var uris: [String] = []
        /// The number of its last use.
        var used: Int
        /// Called on any thread when its resources have changed; nil without a stream.
        var wake: (@Sendable () -> Void)?
    }

    private struct State {
        var sessions: [String: AgentSession] = [:]
        var uses = 0
    }

    private let state = Lock(State())

    /// Opens a session, and returns its secret name.
    func open(for owner: String) -> String {
        let name = Base64URL.text((0..<18).map { _ in UInt8.random(in: .min ... .max) })
        state.with { state in
            state.uses += 1
            if state.sessions.count >= Self.limit,
                let oldest = state.sessions.min(by: { $0.value.used < $1.value.used })?.key
            {
                state.sessions[oldest] = nil
            }
            state.sessions[name] = AgentSession(owner: owner, used: state.uses)
        }
        return name
    }

    /// Changes a session of an owner, and wakes its stream. Returns nil if there is no such session.
    private func change<Result>(
        _ name: String, of owner: String, wakes: Bool, _ body: (inout AgentSession) -> Result
    ) -> Result? {
        let (result, wake) = state.with { state -> (Result?, (@Sendable () -> Void)?) in
            guard var session = state.sessions[name], session.owner == owner else { return (nil, nil) }
            state.uses += 1
            session.used = state.uses
            let result = body(&session)
            state.sessions[name] = session
            return (result, wakes ? session.wake : nil)
        }
        wake?()
        return result
    }

    /// Subscribes to a resource. Returns false if there are too many, and nil if there is no such session.
    func subscribe(_ uri: String, in name: String, of owner: String) -> Bool? {
        change(name, of: owner, wakes: true) { session in
            if session.uris.contains(uri) { return true }
            guard session.uris.count < Self.resourcesLimit else { return false }
            session.uris.append(uri)
            return true
        }
    }

    /// Ends the subscription to a resource. Returns nil if there is no such session.
    func unsubscribe(_ uri: String, in name: String, of owner: String) -> Void? {
        change(name, of: owner, wakes: true) { session in session.uris.removeAll { $0 == uri } }
    }

    /// The resources of a session; nil if there is no such session.
    func uris(of name: String, _ owner: String) -> [String]? {
        change(name, of: owner, wakes: false) { $0.uris }
    }

    /// Names the stream of a session. Returns false if there is no such session.
    func listen(in name: String, of owner: String, _ wake: @escaping @Sendable () -> Void) -> Bool {
        change(name, of: owner, wakes: false) { $0.wake = wake } != nil
    }

    /// Ends a session. Returns false if there is none.
    func close(_ name: String, of owner: String) -> Bool {
        let wake = state.with { state -> (@Sendable () -> Void)?? in
            guard let session = state.sessions[name], session.owner == owner else { return nil }
            state.sessions[name] = nil
            return .some(session.wake)
        }
        guard let wake else { return false }
        wake?()
        return true
    }
}
