import Ground
import JSON
import ReplicatedJournal
import ServerReads
package import StateStore

/// The clients of one node of a lobby: what they read, watch and change.
package final class LobbyClient: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    package let node: SimulatedNode
    private var watches: [SpaceName: Watch] = [:]
    private var values: [SpaceName: [String: String]] = [:]
    private var stays: [SpaceName: [String: [PresenceStay]]] = [:]
    /// Called with each value that a watch delivers.
    package var watched: (SpaceName, _ view: String, _ value: String) -> Void = { _, _, _ in }
    /// The number of values of each space that watches have delivered.
    package private(set) var frames: [SpaceName: Int] = [:]

    package init(of node: SimulatedNode) {
        self.node = node
    }

    /// Watches views of a space.
    package func watch(_ space: SpaceName, _ views: [String] = ["here", "cursors", "left", "topic"]) {
        node.executor.post { [self] in
            let names = views.map { "lobby.\($0)" }
            watches[space] = node.store(of: space).watch(names, in: space) { [weak self] result in
                guard let self else { return }
                guard case .success(let frames) = result else {
                    // The space has moved to another store meanwhile.
                    if case .failure(.elsewhere) = result { watch(space, views) }
                    return
                }
                self.frames[space, default: 0] += 1
                for (view, frame) in frames {
                    let text = Self.text(of: frame)
                    values[space, default: [:]]["\(view)"] = text
                    watched(space, "\(view)", text)
                }
            }
        }
    }

    /// Ends the watch of a space.
    package func stopWatching(_ space: SpaceName) {
        node.executor.post { [self] in watches[space] = nil }
    }

    /// Ends the watch of a space, and the streams of all its clients.
    package func leaveAll(_ space: SpaceName) {
        node.executor.post { [self] in
            watches[space] = nil
            stays[space] = nil
        }
    }

    /// The newest value of a view that the watch of a space has delivered.
    package func shown(_ view: String, in space: SpaceName) -> String { values[space]?["lobby.\(view)"] ?? "none" }

    private static func text(of frame: Frame) -> String {
        guard case .success(let value) = frame.value else { return "failure" }
        return String(decoding: value.bytes, as: UTF8.self)
    }

    /// Reads a view as a fresh read does; nil if this node has not heard from the owner in time.
    package func read(_ view: String, in space: SpaceName, _ done: @escaping (String?) -> Void) {
        let (node, done) = (node, Confined(done))
        node.journal.whenFresh(space) { isFresh in
            node.executor.post {
                guard isFresh else { return done.value(nil) }
                node.store(of: space).pullRows(of: space, within: .seconds(1)) { hasRows in
                    guard hasRows else { return done.value(nil) }
                    node.store(of: space).read(["lobby.\(view)"], in: space) { result in
                        let frame = (try? result.get())?.views.first?.frame
                        done.value(frame.map { Self.text(of: $0) })
                    }
                }
            }
        }
    }

    /// Performs an action on this node.
    package func act(
        _ action: String, _ input: String, in space: SpaceName,
        _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void = { _ in }
    ) {
        node.perform(Call(feature: "lobby", action: action, input: Array(input.utf8)), in: space, reply)
    }

    /// Begins the stream of a client that is present.
    package func join(
        _ key: String, _ row: Int = 1, in space: SpaceName, _ reply: @escaping (Refusal?) -> Void = { _ in }
    ) {
        let reply = Confined(reply)
        node.executor.post { [self] in
            let request = PresenceRequest(
                key, in: "lobby.here", with: .number(Decimal(Int64(row))), .nobody, needsRule: false)
            node.store(of: space).join(request, in: space) { result in
                switch result {
                case .success(let stay):
                    self.stays[space, default: [:]][key, default: []].append(stay)
                    reply.value(nil)
                case .failure(let refusal): reply.value(refusal)
                }
            }
        }
    }

    /// Ends one stream of a client.
    package func leave(_ key: String, in space: SpaceName) {
        node.executor.post { [self] in _ = stays[space]?[key]?.popLast() }
    }

    /// The clients with streams.
    package func present(in space: SpaceName) -> [String] {
        (stays[space] ?? [:]).filter { !$0.value.isEmpty }.map(\.key)
    }
}
