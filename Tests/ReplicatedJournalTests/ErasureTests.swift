import Foundation
import Platform
import JSON
import SQLiteJournal
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

extension SimulatedCluster {
    /// The call that erases the row of a token, made on the owner of a space.
    func erasure(of token: String, in space: SpaceName) throws -> Call {
        let node = try #require(owner(of: space))
        let past = try PastReader(.roster(), node.journal, isThreaded: false)
        var call: Call?
        past.run(for: node.executor) { context throws(PastRefusal) in
            Erasure(of: ErasedRow(table: "roster.tokens", key: token), in: space, context)
        } then: { result in
            let input: JSON = ["table": "roster.tokens", "key": .string(token)]
            call = try? result.get().call(
                input: input.json(), input, key: nil, views: nil, condition: nil, caller: Caller("root"))
        }
        world.run(for: .milliseconds(1))
        return try #require(call)
    }
}

/// The bytes of erased rows in the files of a cluster.
struct ErasureTests {
    private static func files(with text: String, in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { name in
            FileManager.default.contents(atPath: "\(directory)/\(name)")?.range(of: Data(text.utf8)) != nil
        }
    }

    // Law PRIV5
    @Test func `the bytes of an erased row are in no file of any node, nor of one that comes later`() throws {
        let (scratch, opened) = (try Scratch(), Lock<[SQLiteJournal]>([]))
        let cluster = try SimulatedCluster(seed: 9, registry: .roster()) { index in
            let journal = try SQLiteJournal(
                directory: "\(scratch.path)/\(index) \(opened.with { $0.count })", durability: .none)
            opened.withLock { $0.append(journal) }
            return journal
        }
        defer { for journal in opened.with({ $0 }) { journal.close() } }
        cluster.world.run(for: .seconds(10))
        func send(_ call: Call) throws {
            let answered = Lock(false)
            let node = try #require(cluster.owner(of: .a))
            node.perform(call, in: .a) { result in
                if case .success = result { answered.withLock { $0 = true } }
            }
            cluster.world.run(for: .seconds(1))
            #expect(answered.with { $0 })
        }
        for token in ["one", "ADA-LOVELACE", "two"] {
            try send(Call(feature: "roster", action: "enter", input: Array(#"{"token":"\#(token)"}"#.utf8)))
        }
        // The key of a row stays, but not the input of the commit that has made it.
        let input = #"{"token":"ADA-LOVELACE"}"#
        func directories() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: scratch.path).map { "\(scratch.path)/\($0)" }
        }
        func found() throws -> Int { try directories().count { try !Self.files(with: input, in: $0).isEmpty } }
        #expect(try found() == 3)
        try send(try cluster.erasure(of: "ADA-LOVELACE", in: .a))
        #expect(try found() == 0)
        // A node without a copy reads the entries before the erasure from the log.
        try cluster.restart(1)
        cluster.world.run(for: .seconds(10))
        #expect(try directories().count == 4)
        #expect(try cluster.nodes[1].copy.load(.a)?.version == 4)
        #expect(try found() == 0)
    }
}
