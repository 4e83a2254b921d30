import Platform
import Ground
import Reactive
import ReplicatedJournal
import SQLiteJournal
package import StateStore

/// A run of three nodes with random calls and random faults, both from one seed, and its check against a history of
/// the calls.
package final class RandomRun: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.

    /// A call as its client knows it.
    final class Entering: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        enum Outcome: Equatable {
            case open, ok(Int), refused, unknown
        }

        let token: String
        let space: SpaceName
        let key: String?
        var outcome = Outcome.open
        var attempts = 0
        /// True if an attempt had no known outcome.
        var hadUnknown = false

        init(_ token: String, _ space: SpaceName, _ key: String?) {
            (self.token, self.space, self.key) = (token, space, key)
        }
    }

    static let spaces = ["a", "b", "c", "d", "e"].compactMap { SpaceName($0) } + [.common]
    static let brief = SpaceName("brief") ?? .common

    package let cluster: SimulatedCluster
    private var history: [Entering] = []
    private var newest: [SpaceName: Int] = [:]
    package private(set) var complaints: [String] = []
    package private(set) var freshReads = 0
    private var isCalm = false
    private let faults: RandomFaults
    private let seconds: Int

    package init(seed: UInt64, faults: Int = 12, seconds: Int = 40) throws {
        self.seconds = seconds
        cluster = try SimulatedCluster(seed: seed, registry: .roster())
        self.faults = RandomFaults(cluster, count: faults)
    }

    private var world: SimulatedWorld { cluster.world }

    /// The number of calls that were answered.
    package var answered: Int { history.count { if case .ok = $0.outcome { true } else { false } } }

    /// Runs calls and faults, then waits for calm, and checks everything.
    package func run() throws {
        world.run(for: .seconds(3))
        nextCall()
        faults.begin()
        nextRead()
        world.run(for: .seconds(seconds))
        isCalm = true
        faults.end()
        cluster.calm()
        complaints += faults.complaints
        check()
    }

    // MARK: Clients

    private func nextCall() {
        guard !isCalm else { return }
        let number = history.count
        if world.isOne(in: 25) {
            forget()
        } else {
            let key = world.isOne(in: 2) ? "key \(number)" : nil
            let call = Entering("t\(number)", Self.spaces[world.random(below: Self.spaces.count)], key)
            history.append(call)
            send(call)
        }
        world.after(world.delay(upTo: 400_000)) { self.nextCall() }
    }

    private func send(_ entering: Entering) {
        let running = cluster.nodes.filter(\.isRunning)
        entering.attempts += 1
        let attempt = entering.attempts
        guard let node = running.isEmpty ? nil : running[world.random(below: running.count)] else { return }
        let call = Call(
            feature: entering.space == .common ? "list" : "roster", action: "enter",
            input: Array(#"{"token":"\#(entering.token)"}"#.utf8), key: entering.key)
        node.perform(call, in: entering.space) { result in
            guard entering.outcome == .open, entering.attempts == attempt else { return }
            self.take(result, entering)
        }
        world.after(.seconds(8)) {
            guard entering.outcome == .open, entering.attempts == attempt else { return }
            entering.hadUnknown = true
            if entering.key != nil { self.send(entering) } else { entering.outcome = .unknown }
        }
    }

    private func take(_ result: Result<Answer, Refusal>, _ entering: Entering) {
        switch result {
        case .success(let answer):
            entering.outcome = .ok(answer.version)
            newest[entering.space] = max(newest[entering.space] ?? 0, answer.version)
        case .failure(.elsewhere):
            // Nothing was stored, so the call may be sent to another node.
            guard entering.attempts < 40 || entering.key != nil, !isCalm || entering.attempts < 400 else {
                entering.outcome = entering.hadUnknown ? .unknown : .refused
                return
            }
            world.after(.milliseconds(100)) { self.send(entering) }
        case .failure(.journal(let failure)) where failure.kind == .outcomeUnknown:
            entering.hadUnknown = true
            if entering.key != nil { send(entering) } else { entering.outcome = .unknown }
        case .failure(let refusal):
            complaints.append("\(entering.token) was refused: \(refusal)")
        }
    }

    private func forget() {
        guard let node = cluster.owner(of: Self.brief) else { return }
        let call = Call(feature: "roster", action: "enter", input: Array(#"{"token":"brief"}"#.utf8))
        let isDeletion = world.isOne(in: 2)
        if isDeletion {
            node.executor.post { node.stores[0].forget(Self.brief) { _ in } }
        } else {
            node.perform(call, in: Self.brief) { _ in }
        }
    }

    // MARK: Fresh reads

    private func nextRead() {
        guard !isCalm else { return }
        let space = Self.spaces[world.random(below: Self.spaces.count)]
        let running = cluster.nodes.filter { $0.isRunning && !$0.executor.isPaused }
        let needed = newest[space] ?? 0
        if !running.isEmpty {
            let node = running[world.random(below: running.count)]
            let began = world.now
            func look(_ isFresh: Bool) {
                guard isFresh else { return }
                freshReads += 1
                let version = (try? node.copy.load(space))??.version ?? 0
                if version < needed {
                    complaints.append(
                        "\(node.name) answered a fresh read of \(space), begun at \(began.nanoseconds / 1_000_000) ms, with \(version), but \(needed) had been answered"
                    )
                }
            }
            if node.journal.isFresh(space, common: .max) {
                look(true)
            } else {
                let looking = Looking(look)
                node.journal.whenFresh(space) { looking.body($0) }
            }
        }
        world.after(world.delay(upTo: 200_000)) { self.nextRead() }
    }

    private struct Looking: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let body: (Bool) -> Void

        init(_ body: @escaping (Bool) -> Void) {
            self.body = body
        }
    }

    // MARK: Checks

    private func check() {
        for node in cluster.nodes {
            for warning in node.warnings.with({ $0 }) { complaints.append("\(node.name): \(warning)") }
        }
        let copies = cluster.nodes.map(\.copy)
        for other in copies.dropFirst() where Self.text(of: other) != Self.text(of: copies[0]) {
            complaints.append("the copies differ:\n\(Self.text(of: copies[0]))\n---\n\(Self.text(of: other))")
        }
        var places: [String: [(SpaceName, Int)]] = [:]
        for space in Self.spaces {
            guard case .commits(let commits)? = try? copies[0].read(space, after: 0, limit: .max) else {
                complaints.append("\(space) cannot be read")
                continue
            }
            if commits.map(\.version) != Array(1..<(commits.count + 1)) {
                complaints.append("the versions of \(space) are \(commits.map(\.version))")
            }
            for commit in commits {
                let input = String(decoding: commit.input ?? [], as: UTF8.self)
                places[String(input.dropFirst(10).dropLast(2)), default: []].append((space, commit.version))
            }
        }
        for entering in history {
            let found = places[entering.token] ?? []
            switch entering.outcome {
            case .ok(let version):
                if found.count != 1 || found[0] != (entering.space, version) {
                    complaints.append("\(entering.token) was answered with \(version) and is stored at \(found)")
                }
            case .refused:
                if !found.isEmpty { complaints.append("\(entering.token) was refused and is stored") }
            case .unknown:
                if found.count > 1 { complaints.append("\(entering.token) is stored \(found.count) times") }
            case .open:
                complaints.append(
                    "\(entering.token) in \(entering.space) was not answered after \(entering.attempts) attempts")
            }
        }
    }

    /// The whole content of a copy, as text.
    package static func text(of copy: any Journal) -> String {
        var lines: [String] = []
        for (space, version) in (try? copy.spaces(after: nil, limit: .max)) ?? [] {
            lines.append("\(space) \(version)")
            for fact in (try? copy.load(space))??.facts ?? [] {
                lines.append(
                    "  \(fact.variable) \(fact.entry ?? "") \(String(decoding: fact.value ?? [], as: UTF8.self))")
            }
            guard case .commits(let commits)? = try? copy.read(space, after: 0, limit: .max) else { continue }
            for commit in commits {
                lines.append(
                    "  \(commit.version) \(commit.at.microseconds) \(commit.action) \(commit.common) \(String(decoding: commit.input ?? [], as: UTF8.self)) \(commit.idempotency?.key ?? "")"
                )
                if let key = commit.idempotency?.key,
                    let answer = try? copy.answer(space, key: key, since: Timestamp(microseconds: 0))
                {
                    lines.append("    \(key) \(answer.version)")
                }
            }
        }
        // Each node has a process of its own.
        let rows = ((try? (copy as? any JournalCopy)?.rows()) ?? []).filter { $0.name != "process" }
            .map { "\($0.name): \($0.value)" }
        return (lines + rows.sorted()).joined(separator: "\n")
    }
}
