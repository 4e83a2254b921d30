import Reactive
import ServiceInProcess
import Testing

@testable import StateStore

/// The last actions of the clients of a space, without a space.
struct ActionQueuesTests {
    private static let memory = Duration.seconds(30 * 86_400)

    private func action(
        _ number: Int, version: Int = 0, at: Timestamp = Timestamp(microseconds: 0), isCommitted: Bool = true
    ) -> LastAction {
        LastAction(
            number: number, version: version, at: at, fingerprint: UInt64(number),
            outcome: .answered(changed: [], result: []), isCommitted: isCommitted)
    }

    private func position(_ number: Int, answered: Int = 0) throws -> QueuePosition {
        try #require(
            QueuePosition(
                client: String(repeating: "C", count: QueuePosition.clientLength), number: number, answered: answered))
    }

    /// The step for an action of client `key`, as a word.
    private func step(
        _ queues: ActionQueues, _ key: String, _ number: Int, answered: Int = 0,
        at now: Timestamp = Timestamp(microseconds: 0)
    ) throws -> String {
        let position = try position(number, answered: answered)
        switch queues.course(of: position, key, fingerprint: UInt64(number), at: now) {
        case .next: return "next"
        case .repeated: return "repeated"
        case .reused: return "reused"
        case .answeredBefore(let last): return "before \(last)"
        case .early: return "early"
        }
    }

    // Law Q1
    @Test func `a client is known for thirty days after its last action, and then unknown`() throws {
        var queues = ActionQueues()
        let start = Timestamp(microseconds: 1_700_000_000_000_000)
        #expect(queues.note(action(4, at: start), "a", durable: 0) == nil)
        #expect(try step(queues, "a", 4, at: start + Self.memory) == "repeated")
        #expect(try step(queues, "a", 3, at: start + Self.memory) == "before 4")
        let after = start + (Self.memory + .microseconds(1))
        #expect(try step(queues, "a", 4, at: after) == "early", "an unknown client begins after its answers")
        #expect(try step(queues, "a", 1, at: after) == "next")
        #expect(try step(queues, "a", 9, answered: 8, at: after) == "next")
    }

    // Law Q1
    @Test func `beyond ten thousand clients the oldest goes, and only what is stored is removed`() throws {
        var queues = ActionQueues()
        func time(_ number: Int) -> Timestamp { Timestamp(microseconds: Int64(number)) }
        let limit = ActionQueues.clientsLimit
        // Every second one has been refused, and no commit has carried that.
        for number in 0..<limit {
            let action = action(1, at: time(number), isCommitted: number % 2 == 0)
            #expect(queues.note(action, "\(number)", durable: 0) == nil)
        }
        // The oldest acts again, so the second one is the oldest.
        #expect(queues.note(action(2, at: time(limit)), "0", durable: 0) == nil)
        for number in 0..<1_000 {
            let removed = queues.note(action(1, at: time(limit + 1 + number)), "new \(number)", durable: 0)
            let oldest = number + 1
            #expect(removed == (oldest % 2 == 0 ? "\(oldest)" : nil))
            #expect(queues.last("\(oldest)") == nil && queues.last("\(oldest + 1)") != nil)
        }
        #expect(!queues.uncarried.keys.contains("999") && queues.uncarried.keys.contains("1001"))
        #expect(queues.last("0")?.number == 2 && queues.size == 256 * limit)
        // A refusal that a commit has carried is stored, too.
        var facts: Facts = []
        queues.takeUnstored(into: &facts)
        #expect(facts.count == limit / 2 - 500 && !queues.hasUnstored)
        #expect(queues.note(action(1, at: time(3 * limit)), "last", durable: 0) == "1001")
    }

    // Law Q1
    @Test(arguments: 1...20) func `random actions, answers and restarts beside a model`(_ seed: Int) throws {
        var entropy = Entropy(seed: UInt64(seed))
        var queues = ActionQueues()
        // The model: all that was performed, by client, in order, and what the journal has.
        var performed: [String: [Int]] = [:]
        var journal: [String: Fact] = [:]
        for round in 0..<300 {
            let key = "client \(entropy.below(4))"
            let done = performed[key, default: []]
            let last = done.last ?? 0
            let answered = entropy.below(last + 1)
            let number = answered + 1 + entropy.below(last - answered + 3)
            let expected =
                number == last ? "repeated" : number < last ? "before \(last)" : number == last + 1 ? "next" : "early"
            #expect(try step(queues, key, number, answered: answered) == expected, "seed \(seed), round \(round)")
            if expected == "next" {
                queues.begin(key, number)
                #expect(try step(queues, key, number + 1, answered: answered) == "early")
                let isCommitted = entropy.isOne(in: 2)
                _ = queues.note(action(number, version: round, isCommitted: isCommitted), key, durable: round)
                queues.end(key, number)
                performed[key] = done + [number]
                if isCommitted {
                    var facts: Facts = []
                    if let last = queues.last(key) {
                        facts.append(Fact(variable: Fact.queueVariable, entry: key, value: last.bytes))
                    }
                    queues.takeUnstored(into: &facts)
                    for fact in facts { journal[fact.entry ?? ""] = fact }
                }
            }
            if entropy.isOne(in: 40) {
                // The space leaves memory, and returns.
                let uncarried = queues.uncarried
                queues = ActionQueues()
                queues.adopt(uncarried)
                try queues.restore(journal.values.map { $0 })
            }
        }
        #expect(performed.values.allSatisfy { $0 == Array(1...$0.count) })
    }
}
