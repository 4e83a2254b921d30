import Ground
import Reactive
import SQLiteJournal
import StateModel
import StateStore

/// A run of three nodes with clients that queue their actions and send them to any node, and with random faults, both from
/// one seed. A client has several actions under way, in any order, and sends each until it is answered.
package final class QueueRun: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.

    /// The answer that a client has to one of its numbers.
    private enum Answered: Equatable {
        case ok(version: Int), refused, unknown
    }

    /// A client in one space.
    private final class QueueClient: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let client: String
        let space: SpaceName
        /// The number up to which the client has all answers.
        var answered = 0
        /// The last number that was sent.
        var last = 0
        /// The attempts of the numbers that are under way.
        var flying: [Int: Int] = [:]
        var answers: [Int: Answered] = [:]

        init(_ client: String, _ space: SpaceName) {
            (self.client, self.space) = (client, space)
        }

        /// Every third action repeats the token of the one before it, and is refused.
        static func isRefused(_ number: Int) -> Bool { number % 3 == 0 }

        func token(_ number: Int) -> String { "\(client.prefix(1))-\(Self.isRefused(number) ? number - 1 : number)" }

        func take(_ answer: Answered, of number: Int) {
            answers[number] = answer
            flying[number] = nil
            while answers[answered + 1] != nil { answered += 1 }
        }
    }

    private static let spaces = ["a", "b", "c"].compactMap { SpaceName($0) }

    private let cluster: SimulatedCluster
    private let faults: RandomFaults
    private let clients: [QueueClient]
    private var isCalm = false
    package private(set) var complaints: [String] = []
    /// The number of actions that were sent again after they had been answered, and got their answer again.
    package private(set) var repeated = 0

    package init(seed: UInt64, faults: Int) throws {
        cluster = try SimulatedCluster(seed: seed, registry: .roster())
        self.faults = RandomFaults(cluster, count: faults)
        clients = Self.spaces.flatMap { space in
            ["E", "F"].map { QueueClient(String(repeating: $0, count: QueuePosition.clientLength), space) }
        }
    }

    private var world: SimulatedWorld { cluster.world }

    /// The number of actions that were answered.
    package var answered: Int { clients.reduce(0) { $0 + $1.answered } }

    /// Runs actions and faults for some seconds, then waits for calm, and checks everything.
    package func run(seconds: Int) {
        world.run(for: .seconds(3))
        for client in clients { next(client) }
        faults.begin()
        world.run(for: .seconds(seconds))
        isCalm = true
        faults.end()
        cluster.calm()
        complaints += faults.complaints
        for client in clients { check(client) }
    }

    // MARK: Clients

    /// Sends up to four actions at once, in any order.
    private func next(_ client: QueueClient) {
        guard !isCalm else { return }
        let possible = Array(client.last..<client.answered + 4).map { $0 + 1 }
        let numbers = possible.prefix(1 + world.random(below: 4))
        client.last = numbers.last ?? client.last
        for number in numbers { client.flying[number] = 0 }
        for number in numbers.shuffled(using: &world.randomness) { send(number, of: client) }
        world.after(world.delay(upTo: 500_000)) { self.next(client) }
    }

    private func send(_ number: Int, of client: QueueClient) {
        let running = cluster.nodes.filter(\.isRunning)
        let position = QueuePosition(client: client.client, number: number, answered: client.answered)
        guard let attempt = client.flying[number].map({ $0 + 1 }), let position, !running.isEmpty else { return }
        client.flying[number] = attempt
        let action = QueueClient.isRefused(number) ? "enterOnce" : "enter"
        let call = Call(
            feature: "roster", action: action, input: Array(#"{"token":"\#(client.token(number))"}"#.utf8)
        ).with(position)
        running[world.random(below: running.count)].perform(call, in: client.space) { result in
            guard client.flying[number] == attempt else { return }
            // An answer may be lost.
            if self.world.isOne(in: 5) { self.sendAgain(number, of: client) } else { self.take(result, number, client) }
        }
        world.after(.seconds(8)) { if client.flying[number] == attempt { self.send(number, of: client) } }
    }

    private func sendAgain(_ number: Int, of client: QueueClient) {
        world.after(world.delay(upTo: 300_000)) { self.send(number, of: client) }
    }

    private func take(_ result: Result<Answer, Refusal>, _ number: Int, _ client: QueueClient) {
        switch result {
        case .success(let answer):
            if answer.isReplay { repeated += 1 }
            client.take(.ok(version: answer.version), of: number)
        case .failure(.rejected): client.take(.refused, of: number)
        case .failure(.repeated):
            repeated += 1
            client.take(.refused, of: number)
        case .failure(.answeredBefore(let last)):
            if last <= number { complaints.append("\(number) is before \(last)") }
            client.take(.unknown, of: number)
        case .failure(.elsewhere), .failure(.outOfOrder), .failure(.journal), .failure(.contended):
            sendAgain(number, of: client)
        case .failure(let refusal): complaints.append("\(client.token(number)) was refused: \(refusal)")
        }
    }

    // MARK: Checks

    private func check(_ client: QueueClient) {
        let name = "\(client.client.prefix(1)) in \(client.space)"
        if !client.flying.isEmpty { complaints.append("\(name): \(client.flying.keys.sorted()) were not answered") }
        for (number, answer) in client.answers.sorted(by: { $0.key < $1.key }) where answer != .unknown {
            if (answer == .refused) != QueueClient.isRefused(number) {
                complaints.append("\(name): \(number) was answered with \(answer)")
            }
        }
        guard case .commits(let commits)? = try? cluster.nodes[0].copy.read(client.space, after: 0, limit: .max) else {
            return complaints.append("\(client.space) cannot be read")
        }
        var found: [(number: Int, version: Int)] = []
        for commit in commits {
            guard let mark = commit.queueMark, mark.client == client.client else { continue }
            let input = String(decoding: commit.input ?? [], as: UTF8.self)
            if input != #"{"token":"\#(client.token(mark.number))"}"# {
                complaints.append("\(name): \(mark.number) has the input \(input)")
            }
            found.append((mark.number, commit.version))
        }
        let expected = (1...max(client.answered, 1)).filter { !QueueClient.isRefused($0) }
        if client.answered > 0, found.map(\.number) != expected {
            complaints.append("\(name): performed were \(found.map(\.number)), not \(expected)")
        }
        for (number, version) in found {
            if case .ok(let told)? = client.answers[number], told != version {
                complaints.append("\(name): \(number) was answered with \(told), and is \(version)")
            }
        }
    }
}
