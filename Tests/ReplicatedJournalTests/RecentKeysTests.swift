import SQLiteJournal
import StateStore
import Testing

@testable import ReplicatedJournal

/// The keys of the last entries of a lane (Law K7).
@Suite struct RecentKeysTests {
    private static func commit(_ key: String?) -> CommitRecord {
        CommitRecord(
            space: SpaceName("main")!, version: 1, at: Timestamp(microseconds: 1), action: "cart/add", input: nil,
            facts: [],
            idempotency: key.map { Idempotency(key: $0, fingerprint: 1) })
    }

    @Test func `a key that no later entry has is new`() {
        var keys = RecentKeys(after: 5)
        let (early, first, second) = (NodeKey.text(after: 4), NodeKey.text(after: 5), NodeKey.text(after: 6))
        #expect(keys.mayHave(early) && !keys.mayHave(first))
        keys.take([Self.commit(first), Self.commit(nil)], entry: 6)
        #expect(keys.mayHave(first) && !keys.mayHave(second) && keys.mayHave("a key of a client"))
    }

    @Test(arguments: [150, 1_000_000, Int.max - 1, Int.max])
    func `a key of a client that names a later entry is found again`(_ named: Int) {
        var keys = RecentKeys(after: 100)
        let key = "node1.\(named).own"
        keys.take([Self.commit(key)], entry: 101)
        for number in 102...400 {
            keys.take([Self.commit(NodeKey.text(after: number - 1))], entry: number)
            #expect(keys.mayHave(key))
        }
        // What comes after that entry is known again.
        #expect(keys.mayHave(NodeKey.text(after: 400)) == (named > 400))
    }

    /// A model that keeps all entries for good.
    @Test(arguments: 0..<6) func `a stored key is never taken for a new one`(_ seed: Int) {
        var random = Randomness(seed: UInt64(seed))
        var (keys, applied) = (RecentKeys(after: 100), 100)
        var stored: [String] = (0..<10).map { _ in NodeKey.text(after: 99 - Int.random(in: 0..<80, using: &random)) }
        var waiting: [String] = []
        var (fresh, known) = (0, 0)
        for _ in 0..<3_000 {
            let (named, isOld) = (
                applied - Int.random(in: 0..<4, using: &random), Int.random(in: 0..<20, using: &random) == 0
            )
            waiting.append(
                NodeKey.text(after: isOld ? max(0, applied - Int.random(in: 0..<200, using: &random)) : named))
            applied += Int.random(in: 0..<3, using: &random)
            let taken =
                waiting.count > Int.random(in: 0..<6, using: &random)
                ? [waiting.remove(at: Int.random(in: 0..<waiting.count, using: &random))] : []
            applied += 1
            keys.take(taken.map(Self.commit) + [Self.commit("client \(applied)")], entry: applied)
            stored += taken
            for key in stored.suffix(100) { #expect(keys.mayHave(key)) }
            #expect(keys.mayHave(stored[Int.random(in: 0..<stored.count, using: &random)]))
            for key in waiting.suffix(5) { if keys.mayHave(key) { known += 1 } else { fresh += 1 } }
        }
        // Most keys that are not stored are found to be new.
        #expect(fresh > known)
    }
}
