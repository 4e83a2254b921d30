import Ground
import Platform
import SQLiteJournal
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

/// Nodes that lack entries which the log has trimmed, and the bases that other nodes give to them.
struct BaseTests {
    /// One node whose lanes were trimmed, and a connection for another.
    private final class Yard: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let scratch: Scratch
        let world = SimulatedWorld(seed: 4)
        let settings = ClusterSettings(identity: 1, lanes: 2, lifeBase: 0, digestKey: DigestKey(1, 1))
        let server: MemoryLogServer
        let giver: SimulatedNode
        let journal: SQLiteJournal
        let executor: any StateStore.Executor
        let log: MemoryLog

        init() throws {
            scratch = try Scratch()
            server = MemoryLogServer(world, settings)
            journal = try SQLiteJournal(directory: "\(scratch.path)/n1", durability: .none)
            var timing = NodeTiming()
            timing.retention = .seconds(600)
            giver = try SimulatedNode("n1", server, settings, copy: journal, registry: .roster(), timing: timing)
            executor = world.makeExecutor()
            log = MemoryLog(server)
            world.run(for: .seconds(10))
            for number in 0..<300 { send("t\(number)", in: number % 2 == 0 ? .a : .b) }
            world.run(for: .seconds(1_500))
            send("last", in: .a)
            world.run(for: .seconds(5))
        }

        deinit {
            giver.kill()
            _ = journal.close()
        }

        func send(_ token: String, in space: SpaceName) {
            let call = Call(feature: "roster", action: "enter", input: Array(#"{"token":"\#(token)"}"#.utf8))
            giver.perform(call, in: space) { _ in }
        }

        func request(_ rows: [CopyRow] = []) -> BaseRequest { BaseRequest("n2", rows, log, on: executor) }

        func lacks(_ request: BaseRequest) -> Bool? {
            let (lacks, owned) = (Lock<Bool?>(nil), Confined(request))
            executor.post { owned.value.look { answer in lacks.with { $0 = answer } } }
            world.run(for: .seconds(10))
            return lacks.with { $0 }
        }

        /// Takes a base into a directory.
        func take(_ request: BaseRequest, into name: String) -> Result<String?, JournalFailure>? {
            let (taken, owned) = (Lock<Result<String?, JournalFailure>?>(nil), Confined(request))
            let path = "\(scratch.path)/\(name)"
            executor.post {
                owned.value.take({ () throws(JournalFailure) in try BaseDraft(in: path) }) { result in
                    taken.with { $0 = result }
                }
            }
            world.run(for: .seconds(60))
            return taken.with { $0 }
        }
    }

    // Law CL10
    @Test func `a new node takes a base if the log was trimmed, and then follows and commits`() throws {
        let yard = try Yard()
        #expect(yard.server.lanes[Lane.of(.b, among: 2)]?.trimmed ?? 0 > 0)
        let request = yard.request()
        #expect(yard.lacks(request) == true)
        #expect(try yard.take(request, into: "n2")?.get() == "n1")
        let copy = try SQLiteJournal(directory: "\(yard.scratch.path)/n2", durability: .none)
        #expect(yard.lacks(yard.request(try copy.rows())) == false)
        yard.send("later", in: .b)
        let node = try SimulatedNode("n2", yard.server, yard.settings, copy: copy, registry: .roster())
        yard.world.run(for: .seconds(90))
        #expect(node.journal.status.faults.isEmpty && node.warnings.with { $0 }.isEmpty)
        #expect(RandomRun.text(of: copy) == RandomRun.text(of: yard.journal))
        yard.giver.journal.drain()
        yard.world.run(for: .seconds(10))
        #expect(node.journal.owns(.a) && node.journal.owns(.b))
        node.kill()
        _ = copy.close()
    }

    @Test func `a node takes no base while the log has what it needs, and none where nobody has one`() throws {
        let yard = try Yard()
        #expect(yard.lacks(yard.request(try yard.journal.rows())) == false)
        let request = yard.request()
        #expect(yard.lacks(request) == true)
        yard.giver.kill()
        yard.server.loseLeases()
        guard case .success(nil)? = yard.take(request, into: "n3") else {
            Issue.record("a base came from nowhere")
            return
        }
    }

    @Test func `a giver that ends in the middle is given up, and the draft replaces nothing`() throws {
        let yard = try Yard()
        let request = yard.request()
        #expect(yard.lacks(request) == true)
        yard.world.after(.seconds(4)) { yard.giver.kill() }
        let path = "\(yard.scratch.path)/n4"
        do {
            let journal = try SQLiteJournal(directory: path, durability: .none)
            _ = journal.close()
        }
        _ = yard.take(request, into: "n4")
        let copy = try SQLiteJournal(directory: path, durability: .none)
        let rows = try copy.rows()
        #expect(rows.isEmpty || rows.contains { $0.name == "settings" })
        _ = copy.close()
    }

    @Test func `a copy that has more than a repaired lane needs a base, an equal one does not`() throws {
        let yard = try Yard()
        let lane = Lane.of(.a, among: 2)
        let rows = try yard.journal.rows()
        let number = try #require(yard.giver.journal.status.lanes[lane]?.applied)
        yard.server.repair(lane, after: number)
        #expect(yard.lacks(yard.request(rows)) == false)
        yard.server.repair(lane, after: number - 1)
        #expect(yard.lacks(yard.request(rows)) == true)
    }

    @Test func `no bytes of another node trap, and a changed piece is noticed`() throws {
        let answers: [BaseAnswer] = [.making, .opened(7, size: 9), .piece([1, 2, 3]), .absent("no")]
        for answer in answers {
            #expect(try BaseAnswer(answer.bytes) == answer)
            for place in answer.bytes.indices {
                var changed = answer.bytes
                changed[place] ^= 0x41
                _ = try? BaseAnswer(changed)
                _ = try? BaseAnswer(Array(answer.bytes[..<place]))
                _ = try? BaseQuestion(changed)
            }
        }
        var changed = BaseAnswer.piece([1, 2, 3]).bytes
        changed[changed.count - 1] ^= 1
        #expect(throws: EntryFault.malformed) { try BaseAnswer(changed) }
        for question in [BaseQuestion.open, .piece(of: .max, from: .max)] {
            #expect(try BaseQuestion(question.bytes) == question)
        }
    }
}
